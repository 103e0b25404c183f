struct Third { let first: [First] }
