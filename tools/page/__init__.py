"""The pages for browsers: reports, reviews, problems, live runs and the page of ``outflank web``.

``data`` has the templates and the style, ``program`` the scripts that run in the browser, ``parts`` puts both together.
"""
