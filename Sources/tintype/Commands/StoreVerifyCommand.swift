import API
import ArgumentParser
import Keeping

/// Reads the files of the store and compares their checksums with the stored ones.
struct StoreVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read files, and compare their bytes with what was stored.",
        usage: "tintype store verify [<options>]",
        discussion: """
            Each original, rendition and object of the bucket is read and its SHA-256 is compared, in addition to all \
            comparisons of "tintype store check". The service records when the files of a post were last read, so that \
            --older-than reads the store in parts, however often the command is stopped. The service also does this by \
            itself (the settings verify-interval and verify-rate). The exit code is 3 when something was found.

            EXAMPLES
              tintype store verify
              tintype store verify --older-than 30d --rate 20
              tintype store verify --sample 5
            """)

    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Only this user's files.", valueName: "user"))
    var user: String?

    @Option(
        help: ArgumentHelp("Only files that were not read for this time, such as 30d or 12h.", valueName: "time"))
    var olderThan: String?

    @Option(help: ArgumentHelp("Only the files of this percentage of posts, chosen at random.", valueName: "percent"))
    var sample: Int?

    @Option(help: ArgumentHelp("The largest number of megabytes to read per second.", valueName: "MB/s"))
    var rate: Int?

    @Flag(help: "Print one JSON document for each finding, and one at the end.")
    var json = false

    func validate() throws {
        if let olderThan, SettingParsers.duration(olderThan) == nil {
            throw ValidationError("--older-than \(olderThan) is not \(SettingParsers.durationExpectation)")
        }
        if let sample, !(1...100).contains(sample) { throw ValidationError("--sample is a number from 1 to 100") }
        if let rate, !(1...1_000_000).contains(rate) { throw ValidationError("--rate is a number of at least 1") }
    }

    func run() async throws {
        var order = StoreCheckOrder(.verify)
        try order.select(user: try await storage.uid(ofAny: user))
        order.unreadFor = olderThan.flatMap { SettingParsers.duration($0) }
        if let sample { order.sample = Double(sample) / 100 }
        order.bytesPerSecond = rate.map { $0 * 1_000_000 }
        let last = try await StoreCheckSteps(storage: storage, order: order, isJSON: json).run()
        try last.end(isJSON: json)
    }
}
