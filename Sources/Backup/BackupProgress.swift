import API

/// The progress of work on a backup, reported several times a second.
struct BackupProgress {
    typealias Report = @Sendable (BackupStep) async throws -> Void

    private static let interval = Duration.milliseconds(250)

    var step = BackupStepDocument()
    /// The paths of the findings.
    private(set) var found: [String] = []
    private let report: Report
    private var lastTold = ContinuousClock.now - interval

    init(report: @escaping Report) { self.report = report }

    mutating func begin(_ phase: BackupStepDocument.Phase, total: Int) async throws {
        (step.phase, step.done, step.total) = (phase, 0, total)
        try await report(.step(step))
    }

    mutating func advance(by count: Int) async throws {
        step.done += count
        try Task.checkCancellation()
        guard ContinuousClock.now - lastTold >= Self.interval else { return }
        lastTold = .now
        try await report(.step(step))
    }

    mutating func count(_ line: FileLine) {
        step.files += 1
        step.bytes += line.byteCount
    }

    mutating func countCopy(_ line: FileLine) {
        step.copied += 1
        step.copiedBytes += line.byteCount
    }

    mutating func note(_ finding: FindingDocument) async throws {
        step.findings += 1
        found.append(finding.path)
        try await report(.finding(finding))
    }

    mutating func finish() async throws -> BackupStepDocument {
        step.finished = true
        return step
    }
}
