struct First { let second: Second }
