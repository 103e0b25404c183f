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
        usage: "tintype import <file> [<path>] [<options>]",
        discussion: """
            Where something is already, say what is to become of it, or nothing is \
            written: with --merge the children that the file names are replaced, and \
            others stay; with --replace everything there goes, once you have seen what \
            that is and said yes. The photos of posts that go are deleted some time later.

            The file may have any length. Up to 4 MB are written whole or not at all; \
            more is written in parts, one after the other: such an import is not atomic, \
            and readers see it grow. A file is checked before anything is written. When \
            an import breaks off, run it again from the beginning.

            EXAMPLES
              tintype import tree.json --ns test
              tintype import people.json people --merge
              tintype import tree.json --replace
              gunzip < posts.json.gz | tintype import - posts --ns test
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The file, - for standard input.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("Where to write it, such as posts (default: the whole tree).", valueName: "path"))
    var path: String?

    @Option(help: ArgumentHelp("The name of the tree (default: the service's own).", valueName: "name"))
    var ns: String?

    @Flag var mode: Mode?

    @Flag(name: .shortAndLong, help: "Replace without asking.")
    var yes = false

    @Flag(help: "Print what was imported as one JSON document.")
    var json = false

    enum Mode: EnumerableFlag {
        case merge, replace

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .merge: "Write the children that the file names, and leave the others."
            case .replace: "Delete what is at the path, and put the file there."
            }
        }
    }

    func validate() throws { _ = try DatabasePlace(path, namespace: ns) }

    func run() async throws {
        let place = try DatabasePlace(path, namespace: ns)
        let service = try Service(storage)
        let text = try ImportText(path: file)
        let form: JSONSplitter.Form = mode == .merge ? .update : .value
        // What has a fault at its end must not replace anything before that is seen.
        if text.canBeReadTwice { try await text.forEachPiece(form, at: place.path) { _ in } }
        if mode != .merge { try await checkLoss(at: place, service) }
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

    /// Sees to it that nothing goes that a person has not agreed to lose.
    private func checkLoss(at place: DatabasePlace, _ service: Service) async throws {
        guard let content = try await PlaceContent.read(place, from: service) else { return }
        let name = path.map { "\($0) of the tree" } ?? "the whole tree"
        guard mode == .replace else {
            throw ValidationError(
                "\(name) holds \(content.summary). Nothing was written: add --merge to replace the children that "
                    + "\(file) names, or --replace to replace everything")
        }
        if !yes { try Terminal.confirm("delete \(name) (\(content.summary)) and put \(file) in its place") }
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
