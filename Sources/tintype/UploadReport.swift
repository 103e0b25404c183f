import Foundation
import Pipeline

/// What is told of the posts that an upload comes to: a line each for programs, and how far it is for people.
struct UploadReport {
    private let total: Int
    private let isJSON: Bool
    private var progress = ProgressBar("posts")
    private var counts: [String: Int] = [:]
    /// What is not worth another try; nil while nothing was refused.
    private var refusal: ServiceError?

    init(total: Int, isJSON: Bool) {
        self.total = total
        self.isJSON = isJSON
    }

    private var done: Int { counts.values.reduce(0, +) }

    /// Tells what became of the photos of a post.
    ///
    /// - Throws: `Outcome.tryAgain` when the service went away.
    mutating func add(_ outcome: UploadOutcome, of files: [UploadFile]) throws {
        switch outcome {
        case .notSent:
            return
        case .answered(let word, let document):
            counts[word, default: 0] += 1
            tell(word, document, files)
        case .refused(let error):
            if error.code == "no_service" {
                Terminal.complain("\(error)")
                tellStop()
                throw Outcome.tryAgain
            }
            counts["refused", default: 0] += 1
            refusal = error
            tell(error, files)
        }
        if total > 1 { progress.update(done, of: total, note: summary) }
    }

    /// Tells how far it came.
    ///
    /// - Throws: `Outcome` unless all is published.
    func finish() throws {
        progress.finish()
        if done < total {
            tellStop()
            throw Outcome.tryAgain
        }
        if total > 1, !isJSON { Terminal.tell("\(total) posts: \(summary)") }
        guard let refusal else { return }
        guard total == 1 else { throw Outcome.partial }
        throw refusal.isTransient ? Outcome.tryAgain : Outcome.failed
    }

    private func tellStop() {
        guard total > 1 else { return }
        Terminal.complain("stopped after \(done) of \(total) posts; run it again to go on")
    }

    private var summary: String {
        let words = [
            ("published", "published"), ("accepted", "accepted"), ("duplicate", "posted before"),
            ("refused", "refused"),
        ]
        return words.compactMap { name, word in counts[name].map { "\($0) \(word)" } }.joined(separator: ", ")
    }

    private func tell(_ word: String, _ document: Data, _ files: [UploadFile]) {
        var fields = (try? JSONSerialization.jsonObject(with: document)) as? [String: Any] ?? [:]
        fields["outcome"] = word
        if isJSON { return emit(fields, files) }
        let id = fields["post_id"] as? String ?? fields["upload_id"] as? String ?? ""
        let names = files.map(\.path).joined(separator: " ")
        let note = word == "duplicate" ? "posted before" : ""
        Terminal.say([id, names, note].filter { !$0.isEmpty }.joined(separator: "  ").printable)
    }

    private func tell(_ error: ServiceError, _ files: [UploadFile]) {
        guard isJSON else { return Terminal.complain("\(error)".printable) }
        emit(["outcome": "refused", "code": error.code, "message": error.message, "hint": error.hint], files)
    }

    private func emit(_ fields: [String: Any], _ files: [UploadFile]) {
        let document = fields.merging(["files": files.map(\.path)]) { $1 }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? JSONSerialization.data(withJSONObject: document, options: options) else { return }
        Terminal.say(String(decoding: bytes, as: UTF8.self))
    }
}
