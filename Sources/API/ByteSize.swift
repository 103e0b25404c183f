/// Numbers of bytes for people. The pages write them in the same form (`ops-dom.js`).
package enum ByteSize {
    /// Returns a number of bytes in the largest fitting unit, such as "63.9 GiB" or "449 bytes".
    package static func text(_ bytes: Int) -> String {
        var (amount, unit) = (Double(bytes), "")
        for larger in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
            // A smaller amount is not written as 1024.0 of the unit before.
            guard amount >= (unit.isEmpty ? 1024 : 1023.95) else { break }
            (amount, unit) = (amount / 1024, larger)
        }
        guard unit.isEmpty else { return "\((amount * 10).rounded() / 10) \(unit)" }
        return bytes == 1 ? "1 byte" : "\(bytes) bytes"
    }
}
