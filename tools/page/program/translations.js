// Stands after report.js: the texts of the page in German and Japanese. A text that is missing here is shown in English.
const LANGUAGES = ["de", "ja"], TABLE = {
  // the three modes, and the board
  "Play": ["Spielen", "対局"], "Analyze": ["Analysieren", "検討"], "Practise": ["Üben", "練習"],
  "language": ["Sprache", "言語"], "what to do": ["was zu tun ist", "することを選ぶ"],
  "Black": ["Schwarz", "黒"], "White": ["Weiß", "白"], "Red": ["Rot", "赤"], "Gold": ["Gold", "金"], "Yellow": ["Gelb", "黄"],
  "board": ["Brett", "盤"], "empty": ["leer", "空き"], "legal move": ["möglicher Zug", "着手可能"],
  "Scores for": ["Werte für", "評価値の視点"], "the mover": ["den Ziehenden", "手番側"], "Best line": ["Beste Folge", "最善進行"],
  "Analysis on": ["Analyse an", "評価値 表示"], "Analysis off": ["Analyse aus", "評価値 非表示"], "Back to the game": ["Zurück zur Partie", "対局に戻る"],
  "first position": ["erste Stellung", "最初の局面"], "back": ["zurück", "戻る"], "play": ["abspielen", "再生"], "position": ["Stellung", "局面"],
  "forward": ["vor", "進む"], "last position": ["letzte Stellung", "最後の局面"],
  // a game that is played
  "Person": ["Mensch", "人"], "Outflank, level": ["Outflank, Stufe", "Outflank レベル"], "Outflank, Elo": ["Outflank, Elo", "Outflank Elo"], "strength": ["Stärke", "強さ"],
  "Clock": ["Uhr", "持ち時間"], "Rules": ["Regeln", "ルール"], "Start": ["Beginn", "開始"],
  "the usual start": ["die Grundstellung", "初期局面"], "the position shown": ["die gezeigte Stellung", "表示中の局面"], "an opening": ["eine Eröffnung", "定石"], "opening": ["Eröffnung", "定石"],
  "game being played": ["laufende Partie", "対局中"], "Take back": ["Zurücknehmen", "待った"], "Hint": ["Tipp", "ヒント"], "Pause": ["Anhalten", "中断"], "Go on": ["Weiter", "再開"],
  "Resign": ["Aufgeben", "投了"], "New game": ["Neue Partie", "新しい対局"],
  "{0} to move": ["{0} am Zug", "{0}の手番"], "Your move: you play {0}.": ["Sie sind am Zug, mit {0}.", "あなたの番です({0})。"], "{0} thinks …": ["{0} denkt …", "{0} 考慮中…"],
  "{0} has no move and passes.": ["{0} hat keinen Zug und passt.", "{0}は打てる場所がなくパスです。"], "The game is paused.": ["Die Partie ist angehalten.", "対局は中断しています。"],
  "A draw, {0}.": ["Unentschieden, {0}.", "引き分け {0}。"], "{0} wins by {1}, {2}.": ["{0} gewinnt mit {1}, {2}.", "{0}の {1} 石勝ち({2})。"], "{0} wins: {1}.": ["{0} gewinnt: {1}.", "{0}の勝ち({1})。"],
  "resignation": ["Aufgabe", "投了"], "time": ["Zeit abgelaufen", "時間切れ"], "crash": ["Absturz", "異常終了"], "illegal move": ["unerlaubter Zug", "反則手"],
  "protocol error": ["Protokollfehler", "通信規約違反"], "stall": ["keine Antwort", "応答なし"], "unfinished": ["unbeendet", "未終局"], "discs": ["Steine", "石数"],
  "This is an earlier position of the game: take back, or go to its end.": ["Das ist eine frühere Stellung der Partie: nehmen Sie zurück, oder gehen Sie an ihr Ende.", "対局の途中の局面です。待ったをするか、最後の局面に進んでください。"],
  "The program has ended: start it again.": ["Das Programm ist beendet: starten Sie es neu.", "プログラムが終了しています。もう一度起動してください。"],
  // analysis and review
  "game": ["Partie", "対局"], "Game": ["Partie", "対局"], "Games": ["Partien", "対局一覧"], "New": ["Neu", "新規"], "Open": ["Öffnen", "開く"], "Paste": ["Einfügen", "貼り付け"], "Set up": ["Aufstellen", "局面編集"],
  "Review": ["Bewerten", "棋譜解析"], "Reviewing …": ["Bewerte …", "解析中…"], "Play from here": ["Von hier spielen", "ここから対局"], "Link": ["Link", "リンク"],
  "link to this position": ["Link zu dieser Stellung", "この局面へのリンク"], "Save as": ["Speichern als", "保存"], "Save as …": ["Speichern als …", "保存…"], "Show": ["Zeigen", "表示"],
  "a game or a position in any format": ["eine Partie oder Stellung in jedem Format", "棋譜または局面"],
  "A transcript, a board, or a game in SGF, GGF, OBF or PGN": ["Eine Zugfolge, ein Brett, oder eine Partie in SGF, GGF, OBF oder PGN", "棋譜、盤面、または SGF・GGF・OBF・PGN"],
  "Click the squares: each click changes a disc.": ["Klicken Sie auf die Felder: jeder Klick wechselt den Stein.", "マスをクリックすると石が変わります。"],
  "moves": ["zieht", "の手番"], "Empty the board": ["Brett leeren", "盤を空にする"], "Done": ["Fertig", "完了"],
  "move": ["Zug", "着手"], "score": ["Wert", "評価"], "line": ["Folge", "進行"], "Book": ["Buch", "定石"], "pass": ["passen", "パス"], "the game is over": ["die Partie ist zu Ende", "終局"],
  "{0}, analysis off": ["{0}, Analyse aus", "{0}、評価値 非表示"], "exact": ["exakt", "完全読み"], "depth {0}": ["Tiefe {0}", "{0}手読み"], "{0}, {1}, {2} nodes": ["{0}, {1}, {2} Knoten", "{0}、{1}、{2}局面"],
  "{0} games of the archive": ["{0} Partien des Archivs", "データベースの対局 {0}"], "1 game of the archive": ["1 Partie des Archivs", "データベースの対局 1"], "No game of the archive": ["Keine Partie des Archivs", "データベースに対局なし"],
  "games": ["Partien", "対局"], "won": ["gewonnen", "勝"], "drawn": ["unentsch.", "分"], "lost": ["verloren", "負"], "mean": ["Mittel", "平均"], "years": ["Jahre", "年"], "strongest players": ["stärkste Spieler", "上位者"],
  "The start.": ["Der Anfang.", "開始局面。"], "{0} for {1}": ["{0} für {1}", "{1}から見て {0}"], "{0} judged {1}": ["{0} schätzte {1}", "{0}の評価 {1}"], "{0} in {1} s": ["{0} in {1} s", "{0}、{1}秒"], "from its book": ["aus seinem Buch", "定石から"],
  "exact {0}": ["exakt {0}", "完全読み {0}"], "reviewed {0}": ["bewertet {0}", "解析 {0}"], "{0} discs thrown away": ["{0} Steine verschenkt", "{0}石損"], "{0}, {1} discs lost; better": ["{0}, {1} Steine verloren; besser", "{0}、{1}石損。最善は"],
  "Discs thrown away": ["Verschenkt", "失った石"], "accuracy": ["Genauigkeit", "精度"], "inaccuracy": ["Ungenauigkeit", "緩手"], "mistake": ["Fehler", "疑問手"], "blunder": ["Patzer", "悪手"], "discs lost": ["Steine verloren", "損失石数"],
  "Table of moves": ["Zugtabelle", "着手表"], "discs for Black, by move": ["Steine für Schwarz, nach Zügen", "黒から見た石差(手数順)"], "player": ["Spieler", "対局者"], "seconds": ["Sekunden", "秒"], "judged": ["geschätzt", "評価"], "exact before": ["exakt davor", "着手前の完全読み"], "review": ["Bewertung", "解析"],
  "all players": ["alle Spieler", "全対局者"], "all endings": ["alle Enden", "全終局"], "result": ["Ergebnis", "結果"], "by": ["durch", "理由"],
  // practice
  "practise": ["üben", "練習"], "Problems": ["Aufgaben", "問題"], "Openings": ["Eröffnungen", "定石"], "You play": ["Sie spielen", "あなたの色"], "Line": ["Folge", "進行"],
  "the whole book, or Tiger, or f5d6c3 …": ["das ganze Buch, oder Tiger, oder f5d6c3 …", "すべての定石、Tiger、f5d6c3 など"], "Show the solution": ["Lösung zeigen", "解答を見る"], "Next": ["Weiter", "次へ"],
  "Problems and progress in files": ["Aufgaben und Fortschritt in Dateien", "問題と成績のファイル"], "Open problems": ["Aufgaben öffnen", "問題を開く"], "Export progress": ["Fortschritt sichern", "成績を保存"], "Import progress": ["Fortschritt einlesen", "成績を読み込む"],
  "{0} due, {1} learned, {2} seen": ["{0} fällig, {1} gelernt, {2} gesehen", "復習 {0}・習得 {1}・出題 {2}"],
  "{0} to move: one move alone wins.": ["{0} am Zug: nur ein Zug gewinnt.", "{0}の手番:勝つ手は一つだけです。"], "{0} to move: find the best move.": ["{0} am Zug: finden Sie den besten Zug.", "{0}の手番:最善手を見つけてください。"],
  "You play {0}: find the move of the line.": ["Sie spielen {0}: finden Sie den Zug der Folge.", "{0}番:定石の手を打ってください。"], "{0} loses {1} discs.": ["{0} verliert {1} Steine.", "{0} は {1} 石損です。"],
  "{0} loses nothing, but it is not the move of the line.": ["{0} verliert nichts, ist aber nicht der Zug der Folge.", "{0} は損のない手ですが、この進行の手ではありません。"], "Try again.": ["Noch einmal.", "もう一度。"],
  "Right: {0}.": ["Richtig: {0}.", "正解:{0}。"], "The solution: {0}.": ["Die Lösung: {0}.", "解答:{0}。"], "This is the end of the line.": ["Das ist das Ende der Folge.", "この進行はここまでです。"],
};

const language = localStorage.getItem("language") ?? navigator.language.slice(0, 2), column = LANGUAGES.indexOf(language);
if (column >= 0) {
  words = Object.fromEntries(Object.entries(TABLE).map(([text, others]) => [text, others[column]]));
  document.documentElement.lang = language;
  NAMES.forEach((name, colour) => { NAMES[colour] = t(name); });
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    // "Black moves" is made of two texts
    const parts = words[text] ? [text] : text.split(" ").length === 2 ? text.split(" ") : [];
    for (const part of parts) texts.currentNode.data = texts.currentNode.data.replace(part, t(part));
  }
  for (const name of ["aria-label", "placeholder", "title"])
    for (const node of document.querySelectorAll(`[${name}]`)) node.setAttribute(name, t(node.getAttribute(name)));
}
at("language").value = column < 0 ? "en" : language;
at("language").onchange = event => { localStorage.setItem("language", event.target.value); location.reload(); };
