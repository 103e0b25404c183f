// The errors of RowEncoder.

extension RowEncoder {
    /// Throws if the path of a value, including its prefix, is too long.
    static func check(pathByteCount byteCount: Int, at base: TreePath) throws(TreeError) {
        guard byteCount <= maxPathBytes else {
            throw TreeError(
                .tooLarge, "the path of a value has \(byteCount) bytes; the limit is \(maxPathBytes)", path: base,
                hint: "Use shorter keys, or store the data less deeply.")
        }
    }

    static func invalid(_ complaint: String) -> TreeError {
        TreeError(.invalidJSON, complaint, hint: "See the data model of Realtime Databases.")
    }

    static var notAnUpdate: TreeError { invalid("an update must be an object") }
    static var notAScalar: TreeError { invalid("an object or array instead of a string or a number") }
    static var leafWithChildren: TreeError { invalid("an object with .value has other children") }
    static var badServerValue: TreeError {
        invalid("a server value is {\".sv\": \"timestamp\"} or {\".sv\": {\"increment\": number}}")
    }
}
