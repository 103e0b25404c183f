import API
import Keeping
import Model
import Service
import Tree
import Uploads

/// A store check, done by the service or by this process: its findings, one on each line, and its progress.
struct StoreCheckSteps {
    let storage: StorageOptions
    let order: StoreCheckOrder
    let isJSON: Bool

    /// Does the check and prints its findings.
    ///
    /// - Returns: The last step.
    /// - Throws: `ExitStatus.tryAgain` when the check was interrupted by Ctrl-C; the errors of the check.
    func run() async throws -> StoreCheckStepDocument {
        var progress = ProgressBar("posts")
        var last = StoreCheckStepDocument(order.action)
        do {
            for try await event in Interruptible.stream({ try await eventsOrDamage($0) }) {
                switch event {
                case .finding(let finding):
                    if isJSON {
                        Terminal.outputJSON(finding)
                    } else {
                        progress.finish()
                        Terminal.output(finding.line)
                        if let failure = finding.failure { Terminal.error(failure.printable) }
                    }
                case .step(let step):
                    last = step
                    guard !isJSON || step.finished else { continue }
                    if isJSON {
                        Terminal.outputJSON(step)
                    } else {
                        progress.update(step.done, of: step.total, note: Self.note(step))
                    }
                }
            }
        } catch is CancellationError {
            progress.finish()
            Terminal.error("stopped after \(last.done) of \(last.total) posts")
            throw ExitStatus.tryAgain
        }
        progress.finish()
        return last
    }

    /// The progress beside the posts: the number of files, and the bytes that were read.
    private static func note(_ step: StoreCheckStepDocument) -> String {
        "\(step.files) files" + (step.read > 0 ? ", \(ByteSize.text(step.read)) read" : "")
    }

    /// Does the check. A database that is too damaged to be opened is a finding itself.
    private func eventsOrDamage(_ report: @escaping @Sendable (StoreCheckStep) -> Void) async throws {
        do {
            try await events(report)
        } catch let damage as TreeError where damage.isDamage {
            let finding = FindingDocument(
                .treeDamaged, path: "tree.sqlite", post: nil, message: damage.message, bytes: nil)
            report(.finding(finding))
            var last = StoreCheckStepDocument(order.action)
            last.findings[finding.kind.rawValue] = 1
            last.finished = true
            report(.step(last))
        }
    }

    private func events(_ report: @escaping @Sendable (StoreCheckStep) -> Void) async throws {
        try await storage.perform { service in
            try await service.follow("/v1/audit", query: query) { line in
                if let finding = try? FindingDocument(json: line) {
                    report(.finding(finding))
                    return false
                }
                let step = try StoreCheckStepDocument(json: line)
                report(.step(step))
                return step.finished
            }
        } locally: { pipeline in
            report(.step(try await StoreCheck(pipeline.storeCheckTools, order).run { report($0) }))
        }
    }

    private var query: [String: String?] {
        [
            "action": order.action.rawValue, "user": order.user?.description,
            "unread_for": order.unreadFor.map { "\($0.components.seconds)" },
            "sample": order.sample < 1 ? "\(Int((order.sample * 100).rounded()))" : nil,
            "rate": order.bytesPerSecond.map { "\($0)" }, "read": order.readsFiles ? "true" : nil,
            "change": order.changes ? "true" : nil, "max_share": "\(Int((order.maxShare * 100).rounded()))",
        ]
    }
}

extension FindingDocument {
    /// The finding on one line, for people.
    fileprivate var line: String {
        let ending = outcome == .found ? "" : "  [\(outcome.rawValue)]"
        return "\(kind.rawValue)  \(path)  \(message)\(ending)".printable
    }
}
