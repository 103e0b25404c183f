import ArgumentParser
import Client
import Foundation
import HTTPTypes
import Tree

/// Writes a file into a tree.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Write a JSON file into the tree.",
        discussion: """
            The file replaces what is at the path; with --merge only the children that it names, and others stay. It may
            have any length. Up to 4 MB are written whole or not at all; more is written in parts, one after the other:
            such an import is not atomic, and readers see it grow. A file is checked before anything is written. When an
            import breaks off, run it again from the beginning.

            EXAMPLES
              tintype import tree.json
              tintype import people.json people --merge
              gunzip < posts.json.gz | tintype import - posts --ns test
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The file, - for standard input.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("Where to write it, such as posts (default: the whole tree).", valueName: "path"))
    var path: String?

    @Option(help: ArgumentHelp("The name of the tree (default: the service's own).", valueName: "name"))
    var ns: String?

    @Flag(help: "Replace what is at the path, or only the children that the file names.")
    var mode = Mode.replace

    @Flag(help: "Print what was imported as one JSON document.")
    var json = false

    enum Mode: EnumerableFlag {
        case replace, merge
    }

    func validate() throws { _ = try DatabasePlace(path, namespace: ns) }

    func run() async throws {
        let place = try DatabasePlace(path, namespace: ns)
        let service = try Service(storage)
        let text = try ImportText(path: file)
        let form: JSONSplitter.Form = mode == .merge ? .update : .value
        // What has a fault at its end must not replace anything before that is seen.
        if text.canBeReadTwice { try await text.forEachPiece(form, at: place.path) { _ in } }
        var progress = ByteProgress(of: text.byteCount)
        var parts = 0
        try await text.forEachPiece(form, at: place.path) {
            progress.advance(by: $0)
        } _: { piece in
            do {
                _ = try await service.send(
                    piece.form == .value ? .put : .patch, place.address, query: place.query(["print": "silent"]),
                    headers: [.contentType: "application/json"], body: .bytes(piece.json))
            } catch let error as ServiceError {
                throw error.after(parts)
            }
            parts += 1
        }
        progress.finish()
        report(place, byteCount: progress.byteCount, parts: parts)
    }

    private func report(_ place: DatabasePlace, byteCount: Int, parts: Int) {
        if json {
            Terminal.emit([
                "path": .string("\(place.path)"), "file": .string(file), "bytes": .integer(Int64(byteCount)),
                "parts": .integer(Int64(parts)),
            ])
        } else {
            let steps = parts == 1 ? "in one step" : "in \(parts) parts"
            Terminal.say("\(file) is at \(place.path): \(byteCount) bytes, \(steps)")
        }
    }
}

extension ServiceError {
    /// The refusal of a part when others have been written.
    fileprivate func after(_ parts: Int) -> ServiceError {
        guard parts > 0 else { return self }
        return ServiceError(
            code: code, message: "\(parts) parts were written, then: \(message)",
            hint: hint.isEmpty ? "import it again from the beginning" : hint, isTransient: isTransient)
    }
}
