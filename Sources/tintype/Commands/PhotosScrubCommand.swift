import API
import ArgumentParser
import Files
import Foundation
import Imaging
import Model
import TreeModel
import Uploads

/// Takes the place out of local files of photos, or out of the originals that the service keeps.
struct PhotosScrubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub",
        abstract: "Take the place where it was taken out of a photo's file.",
        usage: """
            tintype photos scrub <file> ... (--output <dir> | --in-place | --check) [--json]
            tintype photos scrub (--post <id> ... | --user <user> | --all) [--check] [--json] [--storage <dir>]
            """,
        discussion: """
            GPS data, makers' notes, XMP and IPTC that name a place, data of unknown kinds and the film of a motion photo \
            are removed. The picture is not coded again: it stays the same, bit for bit. Orientation, date, camera, \
            copyright, colours, comments and captions stay, too.

            FILES
            No service is needed. A file is replaced at once or not at all, and not touched if there is nothing to remove. \
            One that cannot be read to its end is refused and left as it is; the others are still done, and the exit code \
            is 3. With --check, nothing is written, and the exit code is 1 if a file has something to remove.

            STORED PHOTOS
            The service hands out originals without their place anyway, unless their owner asks for it. With --post, --user \
            or --all, the place is taken out of what is stored, for good: the old files are deleted after the grace \
            period (the setting grace-period). Backups, and the copies of dropped files in done/, keep it. Posts and \
            thumbnails stay as they are. You may \
            stop the command with Ctrl-C at any time; the next run continues from there. It works whether the service \
            runs or not.

            EXAMPLES
              tintype photos scrub *.jpg --output scrubbed
              tintype photos scrub --in-place photo.heic
              tintype photos scrub *.jpg --check --json | jq -r .removed[]
              tintype photos scrub --user maria --check
              tintype photos scrub --post -OaBcDeFgHiJkLmNoPqR
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The photos.", valueName: "file"))
    var files: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The id of a post whose stored photos are meant; may be repeated.", valueName: "id"))
    var post: [String] = []

    @Option(help: ArgumentHelp("The stored photos of this person's posts.", valueName: "user"))
    var user: String?

    @Flag(help: "The stored photos of all posts.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "The folder for the photos without a place, under the same names; it is made if it is missing.",
            valueName: "dir"))
    var output: String?

    @Flag(help: "Replace the files themselves.")
    var inPlace = false

    @Flag(help: "Tell what would be removed, and write nothing.")
    var check = false

    @Flag(help: "Print one JSON document for each photo; with --user or --all, for each step.")
    var json = false

    func validate() throws {
        guard [!files.isEmpty, !post.isEmpty, user != nil, all].filter(\.self).count == 1 else {
            throw ValidationError("either files, --post, --user or --all has to be given")
        }
        guard !files.isEmpty else {
            guard output == nil, !inPlace else { throw ValidationError("--output and --in-place are for files") }
            for id in post { _ = try PostID(argument: id) }
            return
        }
        guard [output != nil, inPlace, check].filter(\.self).count == 1 else {
            throw ValidationError("one of --output, --in-place and --check has to be given")
        }
        guard output == nil || Set(files.map(ScrubJob.name)).count == files.count else {
            throw ValidationError("two files have one name")
        }
    }

    func run() async throws {
        guard files.isEmpty else { return try await scrubFiles() }
        let stored = StoredScrub(storage: storage, isCheck: check, isJSON: json)
        if post.isEmpty {
            try await stored.scrub(postsOf: user)
        } else {
            try await stored.scrub(post.compactMap { PostID($0) })
        }
    }

    private func scrubFiles() async throws {
        let limits = try storage.configuration().imageLimits()
        let target = try target()
        var (hasPlace, isRefused) = (false, false)
        for path in files {
            let job = ScrubJob(path: path, target: target, limits: limits)
            do {
                let document = try await FileThreads.run { () throws -> ScrubDocument in try job.run() }
                hasPlace = hasPlace || !document.removed.isEmpty
                report(document)
            } catch {
                isRefused = true
                report(Failure(error, about: path), path)
            }
        }
        if isRefused { throw ExitStatus.partial }
        if check, hasPlace { throw ExitStatus.failed }
    }

    private func target() throws -> ScrubJob.Target {
        if let output { return .folder(try Directory(path: output, create: true)) }
        return check ? .nothing : .inPlace
    }

    private func report(_ document: ScrubDocument) {
        if json { return Terminal.outputJSON(document) }
        Terminal.output(document.line(isCheck: check))
    }

    private func report(_ failure: Failure, _ path: String) {
        if json { return Terminal.outputJSON(OutcomeDocument(.refused, path: path, failure: failure)) }
        Terminal.error("\(failure)")
    }
}

extension ScrubDocument {
    /// The document on one line, for people.
    func line(isCheck: Bool) -> String {
        let removed = removed.isEmpty ? "nothing" : removed.joined(separator: ", ")
        return "\(file ?? path)  \(isCheck ? "has" : "removed"): \(removed)".printable
    }
}
