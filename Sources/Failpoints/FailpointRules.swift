import Glibc
import Synchronization

/// The rules of the environment, and the number of matches of each.
final class FailpointRules: Sendable {
    static let inForce = FailpointRules(getenv("TINTYPE_FAILPOINTS").map { String(cString: $0) } ?? "")

    let isOn: Bool
    let problem: String?
    private let rules: [FailpointRule]
    private let matches: Mutex<[Int]>

    init(_ text: String) {
        let texts = text.split(separator: ";")
        rules = texts.compactMap { FailpointRule($0) }
        isOn = !rules.isEmpty
        problem =
            texts.first { FailpointRule($0) == nil }.map {
                "TINTYPE_FAILPOINTS: \"\($0)\" is not a valid rule; an example is before-rename:/blobs/=crash@3"
            }
        matches = Mutex(Array(repeating: 0, count: rules.count))
    }

    /// Applies the rules.
    ///
    /// - Returns: The `errno` of the last rule that makes the step fail, `Failpoint.skipped`, or 0.
    func apply(_ point: Failpoint, _ side: Failpoint.Side, _ place: String) -> Int32 {
        var failure: Int32 = 0
        for (index, rule) in rules.enumerated() where rule.matches(point, side, place) {
            let match = matches.withLock { matches in
                matches[index] += 1
                return matches[index]
            }
            guard rule.acts(at: match) else { continue }
            switch rule.action {
            case .crash: Self.crash()
            case .fail(let number): failure = number
            case .skip: failure = Failpoint.skipped
            case .pause(let path): while access(path, F_OK) == 0 { usleep(2000) }
            case .trace(let path): Self.append("\(side.rawValue)-\(point.rawValue):\(place)\n", to: path)
            }
        }
        return failure
    }

    private static func crash() -> Never {
        kill(getpid(), SIGKILL)
        // The signal ends all threads; this one may be the last.
        while true { pause() }
    }

    private static func append(_ line: String, to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var line = line
        // One write for the whole line, so that lines of several threads do not mix.
        line.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
