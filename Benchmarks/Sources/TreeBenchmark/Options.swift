/// What the command line asks for.
struct Options {
    /// How long each figure is measured.
    var seconds = 5.0
    /// Where the databases are made; a memory file system would make fsync free.
    var folder = "/tmp"
    var measurements: [Measurement] = []

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--seconds":
                guard let value = arguments.next().flatMap(Double.init), value > 0, value < 3600 else {
                    throw UsageError("--seconds wants a number of seconds")
                }
                seconds = value
            case "--folder":
                guard let value = arguments.next() else { throw UsageError("--folder wants a folder") }
                folder = value
            default:
                guard let measurement = Measurement(rawValue: argument) else {
                    throw UsageError("\(argument) is unknown")
                }
                measurements.append(measurement)
            }
        }
        if measurements.isEmpty { measurements = Measurement.allCases }
    }
}

/// A command line that cannot be understood.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ complaint: String) {
        description = "\(complaint)\nusage: TreeBenchmark [--seconds 5] [--folder /tmp] [writes|posts|reads|postgres]"
    }
}
