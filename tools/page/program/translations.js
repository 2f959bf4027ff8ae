/** The page's texts in German and Japanese. A text without a translation is shown in English. */

import {at, lasting} from "./dom.js";
import {t, useWords} from "./words.js";

const LANGUAGES = ["de", "ja"];
/** @type {Record<string, [string, string]>} */
const TABLE = {
  // the three modes, and the board
  "Play": ["Spielen", "対局"], "Analyze": ["Analysieren", "検討"], "Practise": ["Üben", "練習"],
  "language": ["Sprache", "言語"], "mode": ["Modus", "モード"],
  "Black": ["Schwarz", "黒"], "White": ["Weiß", "白"], "Red": ["Rot", "赤"], "Gold": ["Gold", "金"], "Yellow": ["Gelb", "黄"],
  "board": ["Brett", "盤"], "empty": ["leer", "空き"], "legal move": ["möglicher Zug", "着手可能"],
  "Scores for": ["Werte für", "評価値の視点"], "the mover": ["den Ziehenden", "手番側"], "Best line": ["Beste Folge", "最善進行"],
  "Analysis on": ["Analyse an", "評価値 表示"], "Analysis off": ["Analyse aus", "評価値 非表示"], "Back to the game": ["Zurück zur Partie", "対局に戻る"],
  "first position": ["erste Stellung", "最初の局面"], "back": ["zurück", "戻る"], "play": ["abspielen", "再生"], "position": ["Stellung", "局面"],
  "forward": ["vor", "進む"], "last position": ["letzte Stellung", "最後の局面"],
  // a game in progress
  "Person": ["Mensch", "人"], "Outflank, level": ["Outflank, Stufe", "Outflank レベル"], "Outflank, Elo": ["Outflank, Elo", "Outflank Elo"], "strength": ["Stärke", "強さ"],
  "Clock": ["Uhr", "持ち時間"], "Rules": ["Regeln", "ルール"], "Start": ["Beginn", "開始"],
  "the usual start": ["die Grundstellung", "初期局面"], "the position shown": ["die gezeigte Stellung", "表示中の局面"], "an opening": ["eine Eröffnung", "定石"], "opening": ["Eröffnung", "定石"],
  "game being played": ["laufende Partie", "対局中"], "Take back": ["Zurücknehmen", "待った"], "Hint": ["Tipp", "ヒント"], "Pause": ["Anhalten", "中断"], "Resume": ["Weiter", "再開"],
  "Resign": ["Aufgeben", "投了"], "New game": ["Neue Partie", "新しい対局"],
  "{0} to move": ["{0} am Zug", "{0}の手番"], "Your move: you play {0}.": ["Sie sind am Zug, mit {0}.", "あなたの番です({0})。"], "{0} thinks …": ["{0} denkt …", "{0} 考慮中…"],
  "{0} has no move and passes.": ["{0} hat keinen Zug und passt.", "{0}は打てる場所がなくパスです。"], "The game is paused.": ["Die Partie ist angehalten.", "対局は中断しています。"],
  "A draw, {0}.": ["Unentschieden, {0}.", "引き分け {0}。"], "{0} wins by {1}, {2}.": ["{0} gewinnt mit {1}, {2}.", "{0}の {1} 石勝ち({2})。"], "{0} wins: {1}.": ["{0} gewinnt: {1}.", "{0}の勝ち({1})。"],
  "resignation": ["Aufgabe", "投了"], "time": ["Zeit abgelaufen", "時間切れ"], "crash": ["Absturz", "異常終了"], "illegal move": ["unerlaubter Zug", "反則手"],
  "protocol error": ["Protokollfehler", "通信規約違反"], "stall": ["keine Antwort", "応答なし"], "unfinished": ["unbeendet", "未終局"], "discs": ["Steine", "石数"],
  "This is an earlier position of the game: take back moves, or go to the end.": ["Das ist eine frühere Stellung der Partie: nehmen Sie zurück, oder gehen Sie an ihr Ende.", "対局の途中の局面です。待ったをするか、最後の局面に進んでください。"],
  "The program has ended: start it again.": ["Das Programm ist beendet: starten Sie es neu.", "プログラムが終了しています。もう一度起動してください。"],
  "No WebSocket reaches the program: a proxy or the browser blocks it. Games and scores need one.": ["Kein WebSocket erreicht das Programm: ein Proxy oder der Browser hält ihn auf. Partien und Werte brauchen einen.", "WebSocket がプロキシかブラウザに遮断されています。対局と評価値に必要です。"],
  "The link leaves out: {0}.": ["Der Link lässt aus: {0}.", "リンクに含まれないもの:{0}。"], "times": ["Zeiten", "消費時間"], "evaluations": ["Werte", "評価値"],
  "comments": ["Kommentare", "コメント"], "ratings": ["Wertungszahlen", "レーティング"], "variations": ["Varianten", "変化"],
  "{0} wins": ["{0} gewinnt", "{0}の勝ち"], "{0} plays {1}.": ["{0} spielt {1}.", "{0}、{1}。"], "Best: {0}, {1}. {2}.": ["Am besten: {0}, {1}. {2}.", "最善 {0}、{1}。{2}。"], "direction": ["Richtung", "方向"],
  "In which direction does {0} turn discs?": ["In welche Richtung dreht {0} Steine um?", "{0} はどの方向を返しますか。"],
  "Board": ["Brett", "盤"], "Colour": ["Farbe", "色"], "green": ["grün", "緑"], "blue": ["blau", "青"], "brown": ["braun", "茶"], "grey": ["grau", "灰"],
  "Turn the board": ["Brett drehen", "盤を回転"], "No animation": ["Keine Animation", "アニメーションなし"], "Sound": ["Ton", "音"],
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
  "{0} games in the archive": ["{0} Partien des Archivs", "データベースの対局 {0}"], "1 game in the archive": ["1 Partie des Archivs", "データベースの対局 1"], "No game in the archive": ["Keine Partie des Archivs", "データベースに対局なし"],
  "games": ["Partien", "対局"], "won": ["gewonnen", "勝"], "drawn": ["unentsch.", "分"], "lost": ["verloren", "負"], "mean": ["Mittel", "平均"], "years": ["Jahre", "年"], "strongest players": ["stärkste Spieler", "上位者"],
  "The start.": ["Der Anfang.", "開始局面。"], "{0} for {1}": ["{0} für {1}", "{1}から見て {0}"], "{0} judged {1}": ["{0} schätzte {1}", "{0}の評価 {1}"], "{0} in {1} s": ["{0} in {1} s", "{0}、{1}秒"], "from its book": ["aus seinem Buch", "定石から"],
  "exact {0}": ["exakt {0}", "完全読み {0}"], "reviewed {0}": ["bewertet {0}", "解析 {0}"], "{0} discs thrown away": ["{0} Steine verschenkt", "{0}石損"], "{0}, {1} discs lost; better": ["{0}, {1} Steine verloren; besser", "{0}、{1}石損。最善は"],
  "Discs thrown away": ["Verschenkt", "失った石"], "accuracy": ["Genauigkeit", "精度"], "inaccuracy": ["Ungenauigkeit", "緩手"], "mistake": ["Fehler", "疑問手"], "blunder": ["Patzer", "悪手"], "discs lost": ["Steine verloren", "損失石数"],
  "Table of moves": ["Zugtabelle", "着手表"], "discs for Black, by move": ["Steine für Schwarz, nach Zügen", "黒から見た石差(手数順)"], "player": ["Spieler", "対局者"], "seconds": ["Sekunden", "秒"], "judged": ["geschätzt", "評価"], "exact before": ["exakt davor", "着手前の完全読み"], "review": ["Bewertung", "解析"],
  "all players": ["alle Spieler", "全対局者"], "all endings": ["alle Enden", "全終局"], "result": ["Ergebnis", "結果"], "by": ["durch", "理由"],
  "The first {0} of {1} games are shown.": ["Gezeigt werden die ersten {0} von {1} Partien.", "{1}局のうち最初の{0}局を表示します。"], "The link names no position: ply={0}.": ["Der Link nennt keine Stellung: ply={0}.", "リンクの局面が正しくありません:ply={0}。"],
  "Game {0} is no longer in the list.": ["Partie {0} ist nicht mehr in der Liste.", "対局 {0} は一覧にありません。"], "That is not text: paste moves, a board or a game, or drop a file of games.": ["Das ist kein Text: fügen Sie Züge, ein Brett oder eine Partie ein, oder ziehen Sie eine Datei hierher.", "テキストではありません。棋譜や盤面を貼り付けるか、棋譜ファイルをドロップしてください。"],
  "{0}: accuracy {1}.": ["{0}: Genauigkeit {1}.", "{0}:精度 {1}。"], "Given: {0} moves, for which nobody is blamed.": ["Vorgegeben: {0} Züge, für die niemand verantwortlich ist.", "指定局面:最初の{0}手は評価しません。"],
  // practice
  "practise": ["üben", "練習"], "Problems": ["Aufgaben", "問題"], "Openings": ["Eröffnungen", "定石"], "You play": ["Sie spielen", "あなたの色"], "Line": ["Folge", "進行"],
  "the whole book, or Tiger, or f5d6c3 …": ["das ganze Buch, oder Tiger, oder f5d6c3 …", "すべての定石、Tiger、f5d6c3 など"], "Show the solution": ["Lösung zeigen", "解答を見る"], "Next": ["Weiter", "次へ"],
  "Problems and progress in files": ["Aufgaben und Fortschritt in Dateien", "問題と成績のファイル"], "Open problems": ["Aufgaben öffnen", "問題を開く"], "Export progress": ["Fortschritt sichern", "成績を保存"], "Import progress": ["Fortschritt einlesen", "成績を読み込む"],
  "Your errors": ["Eigene Fehler", "自分の悪手"], "Open games": ["Partien öffnen", "棋譜を開く"], "of": ["von", "対局者"],
  "Nothing answered yet: find the move on the board.": ["Noch nichts beantwortet: finden Sie den Zug auf dem Brett.", "まだ回答がありません。盤上で着手してください。"],
  "{0} to repeat now.": ["{0} jetzt zu wiederholen.", "今すぐ復習 {0}。"], "Nothing to repeat now; the next one is due in {0}. New ones follow.": ["Jetzt nichts zu wiederholen; die nächste in {0}. Neue werden gefragt.", "今は復習なし(次は{0}後)。新しい問題を出します。"],
  "{0} answered, {1} learned.": ["{0} beantwortet, {1} gelernt.", "回答済み {0}、習得 {1}。"], "{0} min": ["{0} min", "{0}分"], "{0} h": ["{0} h", "{0}時間"], "{0} days": ["{0} Tagen", "{0}日"],
  "The first {0} of {1} problems are used.": ["Gefragt werden die ersten {0} von {1} Aufgaben.", "{1}問のうち最初の{0}問を出題します。"],
  "{0} to move: {1} was played, and lost {2} discs. Find a better move.": ["{0} am Zug: gespielt wurde {1} und verlor {2} Steine. Finden Sie einen besseren Zug.", "{0}の手番:{1} は {2} 石損でした。より良い手を見つけてください。"],
  "No errors yet: open your games, or review a game first.": ["Noch keine Fehler: öffnen Sie Ihre Partien, oder bewerten Sie erst eine.", "悪手がありません。棋譜を開くか、先に棋譜解析をしてください。"],
  "This file has no game.": ["Diese Datei enthält keine Partie.", "このファイルに対局はありません。"], "Reviewing game {0} of {1}; {2} errors so far.": ["Bewerte Partie {0} von {1}; bisher {2} Fehler.", "{1}局中{0}局目を解析中、悪手 {2}。"], "{0} errors.": ["{0} Fehler.", "悪手 {0}。"],
  "{0} to move: only one move wins.": ["{0} am Zug: nur ein Zug gewinnt.", "{0}の手番:勝つ手は一つだけです。"], "{0} to move: find the best move.": ["{0} am Zug: finden Sie den besten Zug.", "{0}の手番:最善手を見つけてください。"],
  "You play {0}: find the move of the line.": ["Sie spielen {0}: finden Sie den Zug der Folge.", "{0}番:定石の手を打ってください。"], "{0} loses {1} discs.": ["{0} verliert {1} Steine.", "{0} は {1} 石損です。"],
  "{0} loses nothing, but it is not the move of the line.": ["{0} verliert nichts, ist aber nicht der Zug der Folge.", "{0} は損のない手ですが、この進行の手ではありません。"], "Try again.": ["Noch einmal.", "もう一度。"],
  "Right: {0}.": ["Richtig: {0}.", "正解:{0}。"], "The solution: {0}.": ["Die Lösung: {0}.", "解答:{0}。"], "This is the end of the line.": ["Das ist das Ende der Folge.", "この進行はここまでです。"],
};

/** Translate the page into the user's language. Must be called before other code changes the page's texts. */
export function translate() {
  const language = lasting.get("language") ?? navigator.language.slice(0, 2), column = LANGUAGES.indexOf(language);
  at("language").value = column < 0 ? "en" : language;
  if (column < 0) return;
  const words = Object.fromEntries(Object.entries(TABLE).map(([text, others]) => [text, others[column]]));
  useWords(words);
  document.documentElement.lang = language;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = /** @type {Text} */ (texts.currentNode), text = node.data.trim();
    // The words of "Black moves" are translated one by one, since the names of the colours vary.
    const parts = words[text] ? [text] : text.split(" ").length === 2 ? text.split(" ") : [];
    for (const part of parts) node.data = node.data.replace(part, t(part));
  }
  for (const name of ["aria-label", "placeholder", "title"])
    for (const node of document.querySelectorAll(`[${name}]`)) node.setAttribute(name, t(node.getAttribute(name) ?? ""));
}
