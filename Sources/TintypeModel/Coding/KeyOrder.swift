/// The order of the keys of a node: whole numbers of 32 bits first, by their value, then all others by their bytes.
package enum KeyOrder {
    package static func precedes(_ left: String, _ right: String) -> Bool {
        switch (number(left), number(right)) {
        case (let left?, let right?): left < right
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }

    /// Returns the number that a key is; nil for a key such as `007` or `-0`.
    private static func number(_ key: String) -> Int32? {
        guard let number = Int32(key), String(number) == key else { return nil }
        return number
    }
}
