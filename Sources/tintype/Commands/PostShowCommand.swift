import API
import ArgumentParser
import Foundation
import HTTPTypes
import Keeping
import Service
import Uploads

/// Shows the history of a post, an upload or a file.
struct PostShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the history of a post, an upload or a file.",
        usage: "tintype post show <post|upload|file> [<options>]",
        discussion: """
            The history shows how and when the upload arrived, the attempts, the original, the renditions and their \
            origin, the records that name the post, and the commits in the change log. A file is given by its path in \
            the Storage folder, or by its URL.

            EXAMPLES
              tintype post show -OaBcDeFgHiJkLmNoPqR
              tintype post show Storage/blobs/maria/-OaBcDeFgHiJkLmNoPqR/original.jpg
              tintype post show -OaBcDeFgHiJkLmNoPqR --json | jq -r '.files[].path'
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The id of a post or an upload, or a file.", valueName: "post|upload|file"))
    var subject: [String]

    @Flag(help: "Print one JSON document.")
    var json = false

    func validate() throws {
        guard names.count == 1 else { throw ValidationError("give one post, upload or file") }
    }

    /// The names without the mark "--", which may precede an id that begins with a dash.
    private var names: [String] { subject.filter { $0 != "--" } }

    func run() async throws {
        let name = names[0]
        let subject = try ExplainedSubject(name)
        let document = try await storage.perform { service in
            try await service.read(
                .get, "/v1/explain", query: ["of": name], as: ExplanationDocument.self)
        } locally: { pipeline in
            try await Explanation(pipeline.storeCheckTools).document(of: subject)
        }
        if json {
            Terminal.outputJSON(document)
        } else {
            for line in LifeText(document).lines { Terminal.output(line.printable) }
        }
    }
}

/// The history of an upload, for people.
private struct LifeText {
    private(set) var lines: [String] = []

    init(_ document: ExplanationDocument) {
        say("upload", "\(document.id), \(document.purpose.rawValue)")
        say("owner", document.owner)
        say("received at", document.createdAt.map { "\(Self.time($0)) by \(document.intake ?? "?")" })
        say("file of the inbox", document.source)
        say("client's reference", document.clientReference)
        say("state", document.state.map { "\($0) since \(Self.time(document.updatedAt ?? 0))" })
        if document.attempts > 0 { say("failed attempts", "\(document.attempts)") }
        say("error", document.error?.description)
        say("duplicate of", document.duplicateOf)
        say("moderation", document.moderation)
        say("deleted", document.deletedAt.map(Self.time))
        say("files read and compared", document.verifiedAt.map(Self.time))
        for file in document.files { say(file) }
        for place in document.named { say("named by", place) }
        for job in document.jobs { say("job", job) }
        for commit in document.commits {
            let more = commit.paths.count > 3 ? " and \(commit.paths.count - 3) more" : ""
            say(
                "commit \(commit.token)",
                "\(Self.time(commit.timestamp)): \(commit.paths.prefix(3).joined(separator: ", "))\(more)")
        }
    }

    private mutating func say(_ subject: String, _ text: String?) {
        if let text { lines.append("\(subject): \(text)") }
    }

    private mutating func say(_ file: ExplanationDocument.File) {
        let missing = file.use == .dropped ? "\(file.expectedBytes ?? 0) bytes, and is gone" : "MISSING"
        let size = file.bytes.map { "\($0) bytes" } ?? missing
        let wrong = file.expectedBytes.flatMap { $0 == file.bytes ? nil : ", and had \($0)" } ?? ""
        let until = file.until.map { ", until \(Self.time($0))" } ?? ""
        lines.append("\(file.use.rawValue): \(file.path)")
        lines.append("  \(size)\(file.bytes == nil ? "" : wrong)\(until)")
        if let name = file.originalName { lines.append("  sent as \(name)") }
        if let droppedAt = file.droppedAt { lines.append("  dropped \(Self.time(droppedAt)) by a rule") }
        if let source = file.source, file.madeAt == nil {
            lines.append("  encoded again from the original \(source)")
        }
        if let sha256 = file.sha256 { lines.append("  SHA-256 \(sha256)") }
        if let madeAt = file.madeAt {
            lines.append("  made \(Self.time(madeAt)) by \(file.recipe ?? file.fingerprint ?? "?")")
            lines.append("  from the original \(file.source ?? "?"), by program \(file.engine ?? "?")")
        }
    }

    /// Formats a time in UTC, which is given in milliseconds since the epoch.
    private static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
    }
}
