extension Busy {
    private static func two() {}
}
