"""The web pages: reports, reviews, problems, live runs and the page of ``outflank web``.

``data`` contains templates and the style sheet, ``program`` contains the scripts, and ``parts`` combines both.
"""
