"""What a model said: prompts, readers of answers, matching to gold, diagnosis."""
