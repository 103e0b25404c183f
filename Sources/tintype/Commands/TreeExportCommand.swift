import API
import ArgumentParser
import Client
import Foundation
import HTTPTypes
import NIOCore
import Tree

/// Writes a tree, or a part of it, as JSON.
struct TreeExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the tree, or a part of it, as JSON.",
        usage: "tintype tree export [<path>] [<options>]",
        discussion: """
            The export is one consistent state of the tree, including priorities; "tintype tree import" reads it. The file \
            appears only when it is complete and durable. Without -o the JSON is written to standard output.

            EXAMPLES
              tintype tree export -o tree.json
              tintype tree export posts/-P6xKH_7u3vvysGqAGFS
              tintype tree export people --ns test | gzip > people.json.gz
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The path to export, such as posts (default: the whole tree).", valueName: "path"))
    var path: String?

    @Option(help: ArgumentHelp("The name of the tree (default: the service's own).", valueName: "name"))
    var ns: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to write.", valueName: "file"))
    var out: String?

    @Flag(help: "Print the result as one JSON document; needs -o.")
    var json = false

    func validate() throws {
        _ = try DatabaseReference(path, namespace: ns)
        if json, out == nil || out == "-" { throw ValidationError("--json needs a file: -o FILE") }
    }

    func run() async throws {
        let reference = try DatabaseReference(path, namespace: ns)
        let target = try ExportTarget(path: out)
        let query = reference.query(["format": "export"])
        let (byteCount, token) = try await APIClient(storage).open(.get, reference.address, query: query) {
            response, body in
            var progress = ByteProgress(of: response.headerFields[.contentLength].flatMap { Int($0) })
            for try await chunk in body {
                try await target.write(chunk)
                progress.advance(by: chunk.readableBytes)
            }
            progress.finish()
            return (progress.byteCount, HTTPField.Name("Tintype-Token").flatMap { response.headerFields[$0] } ?? "")
        }
        try await target.finish()
        guard case .file = target, let out else { return }
        if json {
            Terminal.outputJSON(
                TransferDocument(path: "\(reference.path)", file: out, bytes: byteCount, token: token))
        } else {
            Terminal.output("\(reference.path) is in \(out): \(byteCount) bytes")
        }
    }
}
