import API
import ArgumentParser
import Client
import Database
import Foundation
import HTTPTypes
import Model
import Tree
import Uploads

/// Writes a JSON file into a tree.
struct TreeImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Write a JSON file into the tree.",
        usage: "tintype tree import <file> [<path>] [<options>]",
        discussion: """
            If the path already has content, nothing is written unless --merge or --replace is given. \
            With --merge the children that the file names are replaced, and the others stay. With \
            --replace all content at the path is deleted, after the command has shown it and you \
            have confirmed. The photos of deleted posts are deleted later.

            The file may have any length. Up to 4 MB are written in one step; more is written in \
            parts, one after another: such an import is not atomic, and readers see it grow. A file \
            is checked before anything is written. When an import is interrupted, run it again from \
            the beginning.

            To import a Firebase project, use the JSON export of its Realtime Database and, with --files, a folder with the \
            files of its bucket (gsutil -m cp -r gs://PROJECT.appspot.com/* files). The files are sent first, without those \
            that are already in the bucket; then the posts that name them get thumbnails.

            EXAMPLES
              tintype tree import tree.json --ns test
              tintype tree import people.json people --merge
              tintype tree import tree.json --replace
              gunzip < posts.json.gz | tintype tree import - posts --ns copy
              tintype tree import firebase.json --files files --merge
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
    var file: String

    @Argument(help: ArgumentHelp("The path to write to, such as posts (default: the whole tree).", valueName: "path"))
    var path: String?

    @Option(help: ArgumentHelp("The name of the tree (default: the service's own).", valueName: "name"))
    var ns: String?

    @Option(
        help: ArgumentHelp("A folder with files for the bucket, each named after its object.", valueName: "dir"))
    var files: String?

    @Flag var mode: Mode?

    @Flag(name: .shortAndLong, help: "Replace without confirmation.")
    var yes = false

    @Flag(help: "Print the result as one JSON document.")
    var json = false

    enum Mode: EnumerableFlag {
        case merge, replace

        static func help(for value: Mode) -> ArgumentHelp? {
            switch value {
            case .merge: "Replace the children that the file names, and keep the others."
            case .replace: "Replace all content at the path."
            }
        }
    }

    func validate() throws { _ = try DatabaseReference(path, namespace: ns) }

    func run() async throws {
        let reference = try DatabaseReference(path, namespace: ns)
        let service = try APIClient(storage)
        let text = try ImportText(path: file)
        let form: JSONSplitter.Form = mode == .merge ? .update : .value
        // An error at the end of the file must be found before anything is replaced.
        if text.canBeReadTwice { try await text.forEachPiece(form, at: reference.path) { _ in } }
        if mode != .merge { try await confirmReplacement(at: reference, service) }
        let sent = try await sendFiles(to: service)
        var progress = ByteProgress(of: text.byteCount)
        var parts = 0
        try await text.forEachPiece(form, at: reference.path) {
            progress.advance(by: $0)
        } _: { piece in
            do {
                _ = try await service.send(
                    piece.form == .value ? .put : .patch, reference.address,
                    query: reference.query(["print": "silent"]),
                    headers: [.contentType: "application/json"], body: .bytes(piece.json))
            } catch let error as Failure {
                throw error.after(parts)
            }
            parts += 1
        }
        progress.finish()
        report(reference, byteCount: progress.byteCount, parts: parts, sent)
        if let sent, !sent.failures.isEmpty { throw ExitStatus.partial }
    }

    /// Sends the files to the bucket, before any data names them.
    private func sendFiles(to service: APIClient) async throws -> BucketFolder.Result? {
        guard let files else { return nil }
        let project = try storage.configuration().value(\.namespace, of: DatabaseSettings())
        let bucket = PublicBase.bucket(ofProject: project)
        let folder = try BucketFolder(path: files, bucket: bucket, service)
        var progress = ProgressBar("files")
        let result = try await folder.send { progress.update($0, of: $1) }
        progress.finish()
        for (name, failure) in result.failures { Terminal.error("\(name): \(failure)".printable) }
        return result
    }

    /// Ensures that nothing is deleted without a person's consent.
    ///
    /// - Throws: `ValidationError` when the path has content and no mode was chosen.
    private func confirmReplacement(at reference: DatabaseReference, _ service: APIClient) async throws {
        guard let content = try await ContentSummary.read(reference, from: service) else { return }
        let name = path.map { "\($0) of the tree" } ?? "the whole tree"
        guard mode == .replace else {
            throw ValidationError(
                "\(name) has \(content.summary). Nothing was written: add --merge to replace the children that "
                    + "\(file) names, or --replace to replace everything")
        }
        if !yes { try Terminal.confirm("delete \(name) (\(content.summary)) and replace it by \(file)") }
    }

    private func report(
        _ reference: DatabaseReference, byteCount: Int, parts: Int, _ sent: BucketFolder.Result?
    ) {
        if json {
            Terminal.outputJSON(
                TransferDocument(
                    path: "\(reference.path)", file: file, bytes: byteCount, parts: parts,
                    objects: sent.map { $0.sent + $0.known }))
        } else {
            if let sent { Terminal.output("\(sent.sent) files sent to the bucket, \(sent.known) already there") }
            let steps = parts == 1 ? "in one step" : "in \(parts) parts"
            Terminal.output("\(file) is at \(reference.path): \(byteCount) bytes, \(steps)")
        }
    }
}

extension Failure {
    /// Returns the error about a part, with the number of parts that were written before it.
    fileprivate func after(_ parts: Int) -> Failure {
        guard parts > 0 else { return self }
        return Failure(
            code, "\(parts) parts were written, then: \(message)",
            hint: hint.isEmpty ? "Import it again from the beginning." : hint, isTransient: isTransient)
    }
}
