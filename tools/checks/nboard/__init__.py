"""Examines an engine that speaks NBoard's protocol: one function for each rule."""
