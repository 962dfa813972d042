"""Greets whoever asks."""
