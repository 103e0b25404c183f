import Glibc

/// One table of figures.
enum Measurement: String, CaseIterable {
    case writes, posts, reads, postgres

    func run(in folder: String, seconds: Double) async throws {
        switch self {
        case .writes:
            Table.printTitle("durable updates of three leaves", in: folder)
            try await WriteBenchmark(folder: folder, seconds: seconds, update: Workload.threeLeaves).run()
        case .posts:
            Table.printTitle("durable commits of whole posts, about twenty leaves", in: folder)
            try await WriteBenchmark(folder: folder, seconds: seconds, update: Workload.post).run()
        case .reads:
            Table.printTitle("reads of an object of three leaves, of 20,000 of them", in: folder)
            try await ReadBenchmark(folder: folder, seconds: seconds).run()
        case .postgres:
            Table.printTitle("the peer: PostgreSQL, three upserts a transaction, synchronous_commit=on", in: folder)
            try PostgresPeer(folder: folder, seconds: seconds).run()
        }
    }
}

/// The printed lines.
enum Table {
    static func printTitle(_ title: String, in folder: String) {
        print("\n\(title)  (\(folder))")
    }

    /// Prints a rate, and its ratio to another rate.
    static func printRate(_ name: String, _ perSecond: Double, note: String = "", of base: Double? = nil) {
        let ratio = base.map { "\(rounded(perSecond / $0, digits: 2)) x fdatasync" } ?? ""
        print(
            "  " + padded(name, 30) + padded(rounded(perSecond, digits: 0) + " /s", 14, right: true) + "   "
                + padded(ratio, 20) + note)
        fflush(nil)
    }

    static func printRate(_ name: String, _ load: Load, note: String = "", of base: Double? = nil) {
        let cost = "\(rounded(load.processorMicroseconds, digits: 1)) µs of processor"
        printRate(name, load.perSecond, note: note.isEmpty ? cost : "\(cost), \(note)", of: base)
    }

    static func rounded(_ value: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        guard value.isFinite, abs(value * scale) < 1e15 else { return "-" }
        let number = Int64((value * scale).rounded())
        guard digits > 0 else { return String(number) }
        let fraction = String(number % Int64(scale))
        return "\(number / Int64(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    private static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        return right ? padding + text : text + padding
    }
}
