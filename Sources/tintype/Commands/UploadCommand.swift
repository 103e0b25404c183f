import ArgumentParser
import Concurrency
import Files
import Foundation
import Glibc
import Synchronization
import UnixSignals
import Uploads

/// Sends photos to the running service.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Publish photos through the running service.",
        usage: "tintype upload <photo> ... --user <user> [<options>]",
        discussion: """
            Each photo becomes a post of its own, unless --one-post puts all of them into \
            one post. The command waits until the posts are published, and prints their \
            ids, each with its file. A photo that is rejected does not stop the others; \
            the exit code is then 3.

            Photos that the user has posted before are not posted again, unless --again is \
            given. So you can stop the command with Ctrl-C at any time, and run it again \
            to continue. With --key, sending the same upload again returns the same post.

            An id that nobody has becomes a new person, as in the inbox. If there are accounts, \
            the command says so, because an account may have been meant.

            EXAMPLES
              tintype upload photo.jpg --user maria --text "At the lake #summer"
              tintype upload ~/Pictures IMG_*.jpg --user maria
              tintype upload 1.jpg 2.jpg --user maria --one-post --text "Two views"
              tintype upload 1.jpg 2.jpg --user maria --alt "A jetty" --alt "The lake"
              tintype upload photo.jpg --user maria --audience class-7b
              tintype upload - --user maria --json < photo.jpg
              tintype upload --user maria --text "No photo, just words"
              tintype upload --user maria --text "Hi @Anna" --mention anna:3:5
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(
        help: ArgumentHelp(
            "Photos, folders of photos, or - for standard input; none for a post of text only.", valueName: "photo"))
    var photos: [String] = []

    @Option(
        help: ArgumentHelp(
            "The user who posts: an id, an e-mail address, or a name that cannot be an id.", valueName: "user"))
    var user: String

    @Option(help: "The text of the post.")
    var text: String = ""

    @OptionGroup var mentions: Mentions

    @Option(
        help: ArgumentHelp(
            "A description of a photo for people who cannot see it; one for each photo, in order.", valueName: "text"))
    var alt: [String] = []

    @Option(
        help: ArgumentHelp(
            "An audience of the posts, instead of everybody; may be repeated.",
            valueName: "id"))
    var audience: [String] = []

    @Option(
        help: ArgumentHelp("Your name for this upload; sending it again returns the same post.", valueName: "key"))
    var key: String?

    @Flag(help: "Put all photos into one post.")
    var onePost = false

    @Flag(help: "Post photos again that the user has posted before.")
    var again = false

    @Flag(help: "Print one JSON document for each post.")
    var json = false

    func validate() throws {
        if key != nil, photos.count > 1, !onePost {
            throw ValidationError("--key names one upload; several photos also need --one-post")
        }
        if alt.count > photos.count {
            throw ValidationError(
                "--alt is given \(alt.count) times, for \(photos.count) photo\(photos.count == 1 ? "" : "s")")
        }
        if photos.filter({ $0 == "-" }).count > 1 { throw ValidationError("standard input (-) can be read only once") }
    }

    func run() async throws {
        let (files, skipped) = try UploadFile.files(photos, alts: alt)
        SkippedFile.note(skipped)
        guard !files.isEmpty || photos.isEmpty else { throw ConfigurationError("there is no photo to send") }
        guard key == nil || onePost || files.count < 2 else {
            throw ConfigurationError("--key names one upload; several photos also need --one-post")
        }
        let sender = try await sender()
        let posts = onePost || files.isEmpty ? [files] : files.map { [$0] }
        var report = UploadReport(total: posts.count, isJSON: json)
        let stop = StopSignal()
        try await forEachConcurrently(posts, concurrency: 4) { files in
            (files, stop.isReceived ? .notSent : try await sender.send(files))
        } _: { files, outcome in
            try report.add(outcome, of: files)
        }
        try report.finish()
    }

    private func sender() async throws -> UploadSender {
        let service = try APIClient(storage)
        let finder = PersonFinder(service: service)
        return UploadSender(
            service: service, user: try await finder.uid(of: user, for: .making), text: text,
            mentions: try await mentions.list(finder), key: key, audiences: audience,
            skipsDuplicates: !again && key == nil)
    }
}

/// The request to stop (Ctrl-C or SIGTERM). Uploads in progress are finished; a second signal ends the process.
private final class StopSignal: Sendable {
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
                    Terminal.note("stopping after the uploads in progress; press Ctrl-C again to stop immediately")
                    continue
                }
                exit(ExitStatus.tryAgain.rawValue)
            }
        }
    }

    var isReceived: Bool { count.withLock { $0 > 0 } }
}
