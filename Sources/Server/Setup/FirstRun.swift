import Concurrency
package import Cryptography
import Hummingbird
import Requests
import Synchronization
import Transport

/// The requesters of the first setup: a person's browser on this machine, and a user who has the code of the log.
package final class FirstRun: Sendable {
    /// The number of wrong codes per second, and at once.
    private static let guesses = (perSecond: 1.0, atOnce: 20.0)

    /// The SHA-256 of the code; nil without one, and once it has been used.
    private let hash: Mutex<[UInt8]?>
    private let wrongGuesses: Mutex<TokenBucket>
    private let isPerson: @Sendable (UInt32) -> Bool

    /// - Parameters:
    ///   - code: The code, which is not kept; nil for none.
    ///   - isPerson: Whether a user of this machine may set the service up, by the user's number.
    package init(
        code: String?, isPerson: @escaping @Sendable (UInt32) -> Bool = { FirstRun.isPerson($0) }
    ) {
        self.isPerson = isPerson
        hash = Mutex(code.map(Digest.sha256))
        wrongGuesses = Mutex(
            TokenBucket(
                perSecond: Self.guesses.perSecond, burst: Self.guesses.atOnce / Self.guesses.perSecond, now: .now))
    }

    /// Returns a new code of 128 bits.
    ///
    /// - Throws: `KeyError` if the system has no randomness.
    package static func makeCode() throws(KeyError) -> String { try RandomText.make(bytes: 16) }

    /// Whether a user of this machine is a person. Proxies run as root or as system users, even as the service's own one;
    /// Debian and systemd give people the numbers from 1000 to 60513. Root and everybody in a container whose only user
    /// is root are no persons here: they have the code of the log.
    package static func isPerson(_ user: UInt32) -> Bool { (1000...60_513).contains(user) }

    /// Whether a person's program on this machine sends a request over TCP to a name of this machine. A proxy on this
    /// machine gives itself away by its header field, by the name to which the request was addressed, or by its user.
    func isHere(_ request: Request, _ context: HTTPContext) -> Bool {
        let host = request.head.authority.map { HostName.split($0).host } ?? ""
        return !context.client.isLocal && context.client.isOnThisMachine(sending: request.head)
            && HostName.isLoopback(host) && context.client.localUser.map(isPerson) == true
    }

    /// Whether a code is the one of the log.
    ///
    /// - Returns: Nil, or the time to wait after too many wrong codes, in seconds.
    func accepts(_ code: String) -> (isRight: Bool, wait: Double?) {
        // Hashes of unguessable texts can be compared in any way: their time says nothing about the texts.
        let digest = Digest.sha256(code)
        if hash.withLock({ $0 == digest }) { return (true, nil) }
        return (false, wrongGuesses.withLock { $0.take(1, now: .now) })
    }

    /// Forgets the code.
    func end() { hash.withLock { $0 = nil } }
}
