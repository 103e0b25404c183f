import Glibc

/// A worker that answers by itself, and keeps every descriptor that it receives.
enum Hoard {
    /// Answers the current request with `refusal`, and later ones with the number of descriptors that it holds.
    static func begin(with refusal: [UInt8]) -> Never {
        say(refusal)
        var held = 2
        while true {
            var number: [UInt8] = []
            held += receive(&number)
            if number.isEmpty { exit(0) }
            say(number + count(1) + text("corrupt") + text("held \(held)") + text(""))
        }
    }

    /// Receives a request; returns the number of descriptors that arrived with it.
    private static func receive(_ number: inout [UInt8]) -> Int {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        // struct cmsghdr (length, level and type), then descriptors.
        var control = [UInt64](repeating: 0, count: 8)
        return bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    guard recvmsg(3, &message, 0) >= 8 else { return 0 }
                    number = Array(bytes.prefix(8))
                    guard message.msg_controllen >= 20 else { return 0 }
                    return (Int(control.load(as: UInt64.self)) - 16) / 4
                }
            }
        }
    }

    private static func say(_ bytes: [UInt8]) {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { bytes in
            var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            withUnsafeMutablePointer(to: &part) { part in
                var message = msghdr()
                message.msg_iov = part
                message.msg_iovlen = 1
                _ = sendmsg(3, &message, 0)
            }
        }
    }

    private static func count(_ value: UInt8) -> [UInt8] { [value, 0, 0, 0, 0, 0, 0, 0] }

    private static func text(_ text: String) -> [UInt8] { count(UInt8(text.utf8.count)) + Array(text.utf8) }
}
