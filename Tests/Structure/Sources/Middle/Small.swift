struct Small { func one() {} }
