import API
import Backup
import Foundation
import Uploads

/// The steps of a backup, a restore or a verification, shown when they are reported.
struct BackupSteps {
    let isJSON: Bool

    /// Does the work, and prints the steps that it reports.
    ///
    /// - Returns: The last step.
    /// - Throws: `ExitStatus.tryAgain` when the work was interrupted by Ctrl-C; the errors of the work.
    func run(
        _ work: @escaping @Sendable (_ report: @escaping @Sendable (BackupStep) -> Void) async throws -> Void
    ) async throws -> BackupStepDocument {
        var progress = ProgressBar("")
        var last = BackupStepDocument()
        do {
            for try await event in Interruptible.stream(work) {
                switch event {
                case .finding(let finding):
                    if isJSON {
                        Terminal.outputJSON(finding)
                    } else {
                        progress.finish()
                        Terminal.output("\(finding.kind.rawValue)  \(finding.path)  \(finding.message)".printable)
                    }
                case .step(let step):
                    if step.phase != last.phase { progress = ProgressBar(Self.label(step.phase)) }
                    last = step
                    if isJSON {
                        Terminal.outputJSON(step)
                    } else if step.total > 0, !step.finished {
                        progress.update(min(step.done, step.total), of: step.total)
                    }
                }
            }
        } catch is CancellationError {
            progress.finish()
            Terminal.error("stopped: run the same command again to continue")
            throw ExitStatus.tryAgain
        }
        progress.finish()
        return last
    }

    private static func label(_ phase: BackupStepDocument.Phase) -> String {
        switch phase {
        case .tree: "pieces of the tree"
        case .blobs: "folders"
        case .others: "other files"
        }
    }

    /// Reads a line of the service's response.
    ///
    /// - Returns: Whether it was the last.
    static func tell(_ line: Data, to report: (BackupStep) -> Void) throws -> Bool {
        if let finding = try? FindingDocument(json: line) {
            report(.finding(finding))
            return false
        }
        let step = try BackupStepDocument(json: line)
        report(.step(step))
        return step.finished
    }
}
