struct Other { let pairs: [Pair] }
