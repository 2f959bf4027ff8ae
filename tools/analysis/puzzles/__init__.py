"""Problems from games: found and proven, rated, written in files and as a page, and asked at a terminal."""
