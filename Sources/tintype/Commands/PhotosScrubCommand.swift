import API
import ArgumentParser
import Files
import Foundation
import Imaging
import Pipeline

/// Takes the place out of local files of photos.
struct PhotosScrubCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub",
        abstract: "Take the place where it was taken out of a photo's file; no service needed.",
        usage: "tintype photos scrub <file> ... (--output <dir> | --in-place | --check) [--json]",
        discussion: """
            GPS data, makers' notes, XMP and IPTC that name a place, data of unknown kinds and the film of a motion photo \
            are removed. The picture is not coded again: it stays the same, bit for bit. Orientation, date, camera, \
            copyright, colours, comments and captions stay, too.

            A file is replaced at once or not at all, and not touched if there is nothing to remove. One that cannot be \
            read to its end is refused and left as it is; the others are still done, and the exit code is 3. With --check, \
            nothing is written, and the exit code is 1 if a file has something to remove.

            EXAMPLES
              tintype photos scrub *.jpg --output scrubbed
              tintype photos scrub --in-place photo.heic
              tintype photos scrub *.jpg --check --json | jq -r .removed[]
            """)

    @Argument(help: ArgumentHelp("The photos.", valueName: "file"))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "The folder for the photos without a place, under the same names; it is made if it is missing.",
            valueName: "dir"))
    var output: String?

    @Flag(help: "Replace the files themselves.")
    var inPlace = false

    @Flag(help: "Tell what would be removed, and write nothing.")
    var check = false

    @Flag(help: "Print one JSON document for each file.")
    var json = false

    func validate() throws {
        guard [output != nil, inPlace, check].filter(\.self).count == 1 else {
            throw ValidationError("one of --output, --in-place and --check has to be given")
        }
        guard output == nil || Set(files.map(ScrubJob.name)).count == files.count else {
            throw ValidationError("two files have one name")
        }
    }

    func run() async throws {
        let limits = try StorageOptions.parse([]).configuration().imageLimits()
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
        let removed = document.removed.isEmpty ? "nothing" : document.removed.joined(separator: ", ")
        Terminal.output("\(document.file ?? document.path)  \(check ? "has" : "removed"): \(removed)".printable)
    }

    private func report(_ failure: Failure, _ path: String) {
        if json { return Terminal.outputJSON(OutcomeDocument(.refused, path: path, failure: failure)) }
        Terminal.error("\(failure)")
    }
}
