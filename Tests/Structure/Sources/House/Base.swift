enum Base {}
