"""Finished games as transcripts."""

# A short game that White loses by having no disc left.
WIPE_OUT = "f5d6c5f4e3f6g5e6e7"
# Two forced passes.
WITH_PASSES = (
    "d3e3f4c5d2f3d6e2b6g5f1c4h6e1d1f6b3g3e6c1g6f2g1c7g2h1c6c3b2c2d8a6"
    "g4d7a7h2b1f5b4h3f7a1e7g7a5a4b5a8f8b8h5e8b7c8a3h8h7h4g8a2"
)
# By the rules of ravensburger-1987: moves with directions, and two forced passes.
ONE_WAY = """c5 c4 f3 d6 b4 d3 c7 d7 e2 b6 d8 e3 c6 g3 g4 e6/n f4/w c8 f6/nw g6 a5 e1 b8 g5/n h6/nw d2 f5 a6
e7/ne g7 c2 b2 h4 e8/nw a7/ne h5/w h2 f7/w b1 g2/s c1 b5/ne b3/se b7/n f8/n c3/s h3/w a8/n a2 h1 f2 d1/s
h7/w h8/n g1 a4/s f1 a3/e g8/n a1/e"""
