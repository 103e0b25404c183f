import API
import Files
package import Logging
import ServiceLifecycle
import Store
import Synchronization
import Tree
import Uploads

/// The scheduled store checks: a check at intervals, and a slow, continuous reading of all files.
///
/// Findings are logged and kept in ``StoreCheckResults``; nothing is repaired or deleted.
package struct StoreCheckSchedule: Sendable {
    /// The wait after a start of the service, which has more urgent work first.
    private static let patience = Duration.seconds(600)
    /// The interval between two readings of a part of the files.
    private static let day = Duration.seconds(86_400)
    /// The maximum number of findings of one check that are logged.
    private static let maxLines = 100

    let tools: StoreCheckTools
    let logger: Logger

    package init(tools: StoreCheckTools, logger: Logger) {
        self.tools = tools
        self.logger = logger
    }

    /// Runs checks until a graceful shutdown.
    package func run() async {
        await cancelWhenGracefulShutdown {
            do {
                try await Task.sleep(for: Self.patience)
                try await tools.results.load()
            } catch {
                if Task.isCancelled { return }
            }
            while !Task.isCancelled {
                await runWhatIsDue()
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }

    /// Runs the checks that are due.
    func runWhatIsDue() async {
        let settings = tools.settings
        if let interval = settings.checkInterval, isDue(.check, after: interval) {
            await audit(StoreCheckOrder(.check))
        }
        if let interval = settings.verifyInterval, isDue(.verify, after: min(interval, Self.day)) {
            var order = StoreCheckOrder(.verify)
            order.looksAtRecords = false
            order.unreadFor = interval
            order.bytesPerSecond = settings.verifyRate
            await audit(order)
        }
    }

    private func isDue(_ action: StoreCheckAction, after interval: Duration) -> Bool {
        guard let last = tools.results[action] else { return true }
        return Timestamp(milliseconds: last.endedAt) <= tools.now - interval
    }

    private func audit(_ order: StoreCheckOrder) async {
        // The damage is reported elsewhere; a finding for every file would not help.
        guard tools.storage.hold == nil else { return }
        let lines = Mutex(0)
        do {
            let last = try await StoreCheck(tools, order).run { step in
                guard case .finding(let finding) = step else { return }
                let number = lines.withLock { lines in
                    lines += 1
                    return lines
                }
                if number <= Self.maxLines { log(finding) }
            }
            let count = last.findings.values.reduce(0, +)
            logger.info(
                "checked the store",
                metadata: [
                    "action": "\(order.action.rawValue)", "posts": "\(last.done)", "read": "\(last.read)",
                    "findings": "\(count)",
                ])
        } catch {
            guard !Task.isCancelled else { return }
            logger.warning("cannot check the store", metadata: ["fault": "\(error)"])
        }
    }

    private func log(_ finding: FindingDocument) {
        logger.warning(
            "the store has damage: \(finding.message)",
            metadata: [
                "finding": "\(finding.kind.rawValue)", "path": "\(finding.path.printable)", "hint": "\(finding.hint)",
            ])
    }
}
