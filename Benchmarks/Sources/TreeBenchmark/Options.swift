/// The options of the command line.
struct Options {
    /// The duration of each measurement, in seconds.
    var seconds = 5.0
    /// The folder of the databases; a memory file system would make fsync free.
    var folder = "/tmp"
    var measurements: [Measurement] = []

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--seconds":
                guard let value = arguments.next().flatMap(Double.init), value > 0, value < 3600 else {
                    throw UsageError("--seconds needs a number of seconds")
                }
                seconds = value
            case "--folder":
                guard let value = arguments.next() else { throw UsageError("--folder needs a folder") }
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

/// An invalid command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ complaint: String) {
        description = "\(complaint)\nusage: TreeBenchmark [--seconds 5] [--folder /tmp] [writes|posts|reads|postgres]"
    }
}
