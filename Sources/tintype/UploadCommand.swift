import ArgumentParser
import Files
import Foundation
import Glibc
import Synchronization
import UnixSignals

/// Sends photos to the running service.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Publish photos through the running service.",
        usage: "tintype upload <photo> ... --user <user> [<options>]",
        discussion: """
            Each photo becomes a post of its own, unless --one-post puts all of them into \
            one. The command waits until the posts are published, and prints their ids, \
            each with its file. A photo that is refused does not stop the others; the \
            exit code is then 3.

            Photos that the user has posted before are not posted again, unless you ask \
            for it with --again: stop it with Ctrl-C whenever you like, and run it again \
            to go on. With --key, sending the same again gives the same post.

            EXAMPLES
              tintype upload photo.jpg --user maria --text "At the lake #summer"
              tintype upload ~/Pictures IMG_*.jpg --user maria
              tintype upload 1.jpg 2.jpg --user maria --one-post --text "Two views"
              tintype upload 1.jpg 2.jpg --user maria --alt "A jetty" --alt "The lake"
              tintype upload - --user maria --json < photo.jpg
              tintype upload --user maria --text "No photo, just words"
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(
        help: ArgumentHelp(
            "Photos, folders of photos, or - for standard input; none for a post of text alone.", valueName: "photo"))
    var photos: [String] = []

    @Option(help: ArgumentHelp("Whose post it will be.", valueName: "user"))
    var user: String

    @Option(help: "The text of the post.")
    var text: String = ""

    @Option(
        help: ArgumentHelp(
            "What a photo shows, for who cannot see it; one for each photo, in their order.", valueName: "text"))
    var alt: [String] = []

    @Option(
        help: ArgumentHelp("A name of yours for this upload: a repeated one finds the same post.", valueName: "key"))
    var key: String?

    @Flag(help: "Put all photos into one post.")
    var onePost = false

    @Flag(help: "Post what the user has posted before once more.")
    var again = false

    @Flag(help: "Print one JSON document a post.")
    var json = false

    func validate() throws {
        if key != nil, photos.count > 1, !onePost {
            throw ValidationError("--key names one upload; with several photos it needs --one-post")
        }
        if alt.count > photos.count {
            throw ValidationError("--alt is there \(alt.count) times, for \(photos.count) photos")
        }
        if photos.filter({ $0 == "-" }).count > 1 { throw ValidationError("standard input can be read once") }
    }

    func run() async throws {
        let sender = UploadSender(
            service: try Service(storage), user: user, text: text, key: key, findsKnown: !again && key == nil)
        let (files, passedOver) = try UploadFile.files(photos, alts: alt)
        if passedOver > 0 {
            Terminal.tell(
                "passed over \(passedOver == 1 ? "1 file that is no picture" : "\(passedOver) files that are no pictures")"
            )
        }
        guard !files.isEmpty || photos.isEmpty else { throw ConfigurationError("there is no picture to send") }
        guard key == nil || onePost || files.count < 2 else {
            throw ConfigurationError("--key names one upload; with several photos it needs --one-post")
        }
        let posts = onePost || files.isEmpty ? [files] : files.map { [$0] }
        var report = UploadReport(total: posts.count, isJSON: json)
        let stop = Interruption()
        try await inOrder(posts, concurrency: 4) { files in
            (files, stop.hasCome ? .notSent : try await sender.send(files))
        } _: { files, outcome in
            try report.add(outcome, of: files)
        }
        try report.finish()
    }
}

/// A person's wish to stop: what is under way is finished, unless it comes twice.
private final class Interruption: Sendable {
    private let count = Mutex(0)

    init() {
        Task {
            for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
                guard
                    count.withLock({ count in
                        count += 1
                        return count
                    }) > 1
                else {
                    Terminal.tell("stopping when what is being sent has arrived; once more to stop at once")
                    continue
                }
                exit(Outcome.tryAgain.rawValue)
            }
        }
    }

    var hasCome: Bool { count.withLock { $0 > 0 } }
}
