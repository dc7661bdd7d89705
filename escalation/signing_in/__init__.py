"""How people sign in: what is ours about django-allauth."""
