import Foundation
import Pipeline

/// The report of an upload: one line for each post, and the progress for people.
struct UploadReport {
    private let total: Int
    private let isJSON: Bool
    private var progress = ProgressBar("posts")
    private var counts: [String: Int] = [:]
    /// The last refusal; nil while nothing was refused.
    private var refusal: ServiceError?

    init(total: Int, isJSON: Bool) {
        self.total = total
        self.isJSON = isJSON
    }

    private var done: Int { counts.values.reduce(0, +) }

    /// Reports the outcome of one post.
    ///
    /// - Throws: `ExitStatus.tryAgain` when the service is gone.
    mutating func add(_ outcome: UploadOutcome, of files: [UploadFile]) throws {
        switch outcome {
        case .notSent:
            return
        case .answered(let word, let document):
            counts[word, default: 0] += 1
            show(word, document, files)
        case .refused(let error):
            if error.code == "no_service" {
                Terminal.error("\(error)")
                reportStop()
                throw ExitStatus.tryAgain
            }
            counts["refused", default: 0] += 1
            refusal = error
            show(error, files)
        }
        if total > 1 { progress.update(done, of: total, note: summary) }
    }

    /// Reports the end of the upload.
    ///
    /// - Throws: `ExitStatus` unless everything is published.
    func finish() throws {
        progress.finish()
        if done < total {
            reportStop()
            throw ExitStatus.tryAgain
        }
        if total > 1, !isJSON { Terminal.note("\(total) posts: \(summary)") }
        guard let refusal else { return }
        guard total == 1 else { throw ExitStatus.partial }
        throw refusal.isTransient ? ExitStatus.tryAgain : ExitStatus.failed
    }

    private func reportStop() {
        guard total > 1 else { return }
        Terminal.error("stopped after \(done) of \(total) posts; run it again to continue")
    }

    private var summary: String {
        let words = [
            ("published", "published"), ("accepted", "accepted"), ("duplicate", "posted before"),
            ("refused", "refused"),
        ]
        return words.compactMap { name, word in counts[name].map { "\($0) \(word)" } }.joined(separator: ", ")
    }

    private func show(_ word: String, _ document: Data, _ files: [UploadFile]) {
        var fields = (try? JSONSerialization.jsonObject(with: document)) as? [String: Any] ?? [:]
        fields["outcome"] = word
        if isJSON { return emit(fields, files) }
        let id = fields["post_id"] as? String ?? fields["upload_id"] as? String ?? ""
        let names = files.map(\.path).joined(separator: " ")
        let note = word == "duplicate" ? "posted before" : ""
        Terminal.output([id, names, note].filter { !$0.isEmpty }.joined(separator: "  ").printable)
    }

    private func show(_ error: ServiceError, _ files: [UploadFile]) {
        guard isJSON else { return Terminal.error("\(error)".printable) }
        emit(["outcome": "refused", "code": error.code, "message": error.message, "hint": error.hint], files)
    }

    private func emit(_ fields: [String: Any], _ files: [UploadFile]) {
        let document = fields.merging(["files": files.map(\.path)]) { $1 }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? JSONSerialization.data(withJSONObject: document, options: options) else { return }
        Terminal.output(String(decoding: bytes, as: UTF8.self))
    }
}
