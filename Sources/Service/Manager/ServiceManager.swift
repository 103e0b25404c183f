import Glibc
import NIOCore

/// The program that started the service and watches it, such as systemd.
///
/// It is notified of the state of the service by datagrams on the Unix socket that `NOTIFY_SOCKET` names (sd_notify(3)).
/// A message that cannot be delivered is dropped: the service must not depend on its manager.
package struct ServiceManager: Sendable {
    /// A message about the state of the service.
    package enum Message: Sendable, Equatable {
        /// Requests are accepted; the text is for people.
        case ready(String)
        /// The settings are being read again; ``ready(_:)`` follows.
        case reloading
        case stopping
        /// The service still works.
        case alive
    }

    /// The longest wait for a manager that does not read its messages.
    private static let patience = timeval(tv_sec: 1, tv_usec: 0)

    /// The address of the manager's socket.
    private let address: sockaddr_un
    private let addressLength: socklen_t
    /// The interval at which the manager expects to hear that the service works; nil if it does not.
    package let interval: Duration?

    /// Reads the address and the interval from the environment. Returns nil if the process has no manager that waits for
    /// messages.
    ///
    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, a path or, after `@`, a name of an abstract socket; `WATCHDOG_USEC`, the silence in
    ///     microseconds after which the manager ends the process; `WATCHDOG_PID`, the process that this is for.
    ///   - processID: The id of this process.
    package init?(environment: [String: String], processID: Int32 = getpid()) {
        guard let name = environment["NOTIFY_SOCKET"], name.count > 1, name.hasPrefix("/") || name.hasPrefix("@") else {
            return nil
        }
        var bytes = Array(name.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        // The name of an abstract socket has no end: it is as long as the address.
        let isAbstract = name.hasPrefix("@")
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        self.address = address
        addressLength = socklen_t(pathOffset + bytes.count + (isAbstract ? 0 : 1))
        interval = Self.interval(environment, processID)
    }

    /// Half the time after which the manager ends a silent process, so that a late message does no harm.
    private static func interval(_ environment: [String: String], _ processID: Int32) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else {
            return nil
        }
        if let meant = environment["WATCHDOG_PID"], meant != "\(processID)" { return nil }
        return .microseconds(microseconds) / 2
    }

    /// Tells the manager about a change.
    package func tell(_ message: Message) {
        send(Self.text(of: message))
    }

    private static func text(of message: Message) -> String {
        switch message {
        case .ready(let status): "READY=1\nSTATUS=\(status)"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(now)\nSTATUS=reading the settings again"
        case .stopping: "STOPPING=1\nSTATUS=finishing what is in progress"
        case .alive: "WATCHDOG=1"
        }
    }

    /// The time of the clock that the manager compares (CLOCK_MONOTONIC), in microseconds.
    private static var now: UInt64 { NIODeadline.now().uptimeNanoseconds / 1000 }

    private func send(_ text: String) {
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        var patience = Self.patience
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(text.utf8)
        withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, addressLength)
            }
        }
    }
}
