import API
import ArgumentParser
import Files
import Foundation
import Imaging
import Model
import TreeModel
import Uploads

/// Removes the place from local photo files, or from the originals in the store.
struct PhotoScrubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub",
        abstract: "Remove from a photo's file the place where it was taken.",
        usage: """
            tintype photo scrub <file> ... (--output <dir> | --in-place | --check)
            tintype photo scrub (--post <id> ... | --user <user> | --all) [<options>]
            """,
        discussion: """
            The command removes GPS data, makers' notes, XMP and IPTC that name a place, data of unknown kinds, and \
            the film of a motion photo. The picture is not encoded again: it stays the same, bit for bit. Orientation, \
            date, camera, copyright, colours, comments and captions also stay.

            FILES
            No service is needed. A file is replaced completely or not at all, and is not touched if there is nothing to \
            remove. A file that cannot be read to its end is rejected and stays unchanged; the others are still processed, \
            and the exit code is 3. With --check, nothing is written, and the exit code is 1 if a file has something to remove.

            STORED PHOTOS
            Even without this command, the service removes the place from the originals that it sends, unless the \
            owner requests it. With --post, --user or --all, the place is removed from the stored files permanently: \
            the old files are deleted after the grace period (the setting grace-period). Backups, and the copies of \
            dropped files in done/, keep the place. Posts and thumbnails stay unchanged. You can stop the command with \
            Ctrl-C at any time; the next run continues from there. The command works whether the service runs \
            or not.

            EXAMPLES
              tintype photo scrub *.jpg --output scrubbed
              tintype photo scrub --in-place photo.heic
              tintype photo scrub *.jpg --check --json | jq -r .removed[]
              tintype photo scrub --user maria --check
              tintype photo scrub --post -OaBcDeFgHiJkLmNoPqR
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The photos.", valueName: "file"))
    var files: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The id of a post whose stored photos are scrubbed; may be repeated.", valueName: "id"))
    var post: [String] = []

    @Option(help: ArgumentHelp("Scrub the stored photos of this user's posts.", valueName: "user"))
    var user: String?

    @Flag(help: "Scrub the stored photos of all posts.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "The folder for the scrubbed photos, under the same names; created if it does not exist.",
            valueName: "dir"))
    var output: String?

    @Flag(help: "Replace the files themselves.")
    var inPlace = false

    @Flag(help: "Print what would be removed, and write nothing.")
    var check = false

    @Flag(help: "Print one JSON document for each photo; with --user or --all, for each step.")
    var json = false

    func validate() throws {
        guard [!files.isEmpty, !post.isEmpty, user != nil, all].filter(\.self).count == 1 else {
            throw ValidationError("give files, --post, --user or --all, and only one of them")
        }
        guard !files.isEmpty else {
            guard output == nil, !inPlace else { throw ValidationError("--output and --in-place are for files") }
            for id in post { _ = try PostID(argument: id) }
            return
        }
        guard [output != nil, inPlace, check].filter(\.self).count == 1 else {
            throw ValidationError("give one of --output, --in-place and --check")
        }
        guard output == nil || Set(files.map(ScrubJob.name)).count == files.count else {
            throw ValidationError("two files have the same name")
        }
    }

    func run() async throws {
        guard files.isEmpty else { return try await scrubFiles() }
        let stored = StoredScrub(storage: storage, isCheck: check, isJSON: json)
        if post.isEmpty {
            try await stored.scrub(postsOf: try await storage.uid(ofAny: user))
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
    /// Returns the document on one line, for people.
    func line(isCheck: Bool) -> String {
        let removed = removed.isEmpty ? "nothing" : removed.joined(separator: ", ")
        return "\(file ?? path)  \(isCheck ? "has" : "removed"): \(removed)".printable
    }
}
