struct Property {
    var long: [Int] {
        [
            1,
            2,
        ]
    }
}
