"""What a model said: its answers and what they are worth."""
