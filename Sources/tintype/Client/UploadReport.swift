import API
import Uploads

/// The report of an upload: one line for each post, and the progress for people.
struct UploadReport {
    private let total: Int
    private let isJSON: Bool
    private var progress = ProgressBar("posts")
    private var counts: [OutcomeDocument.Outcome: Int] = [:]
    /// The last rejection; nil while nothing was rejected.
    private var refusal: Failure?

    init(total: Int, isJSON: Bool) {
        self.total = total
        self.isJSON = isJSON
    }

    private var done: Int { counts.values.reduce(0, +) }

    /// Reports the outcome of one post.
    ///
    /// - Throws: `ExitStatus.tryAgain` when the service has ended.
    mutating func add(_ outcome: UploadOutcome, of files: [UploadFile]) throws {
        switch outcome {
        case .notSent:
            return
        case .published(let document, let isDuplicate):
            let outcome = isDuplicate ? OutcomeDocument.Outcome.duplicate : .published
            counts[outcome, default: 0] += 1
            show(outcome, document, document.postID, files)
        case .accepted(let document):
            counts[.accepted, default: 0] += 1
            show(.accepted, document, document.uploadID, files)
        case .refused(let error):
            if error.code == .noService {
                Terminal.error("\(error)")
                reportStop()
                throw ExitStatus.tryAgain
            }
            counts[.refused, default: 0] += 1
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
        let words: [(OutcomeDocument.Outcome, String)] = [
            (.published, "published"), (.accepted, "accepted"), (.duplicate, "posted before"), (.refused, "refused"),
        ]
        return words.compactMap { outcome, word in counts[outcome].map { "\($0) \(word)" } }.joined(separator: ", ")
    }

    private func show(
        _ outcome: OutcomeDocument.Outcome, _ document: some Document, _ id: String, _ files: [UploadFile]
    ) {
        let names = files.map(\.path)
        if isJSON {
            return Terminal.outputJSON(JoinedDocument(document, OutcomeDocument(outcome, files: names)))
        }
        let note = outcome == .duplicate ? "posted before" : ""
        let words = [id, names.joined(separator: " "), note]
        Terminal.output(words.filter { !$0.isEmpty }.joined(separator: "  ").printable)
    }

    private func show(_ error: Failure, _ files: [UploadFile]) {
        guard isJSON else { return Terminal.error("\(error)".printable) }
        Terminal.outputJSON(OutcomeDocument(.refused, files: files.map(\.path), failure: error))
    }
}
