// What RowEncoder refuses.

extension RowEncoder {
    /// Refuses a path of a value that is too long, with what comes before it.
    static func check(pathByteCount byteCount: Int, at base: TreePath) throws(TreeError) {
        guard byteCount <= maxPathBytes else {
            throw TreeError(
                .tooLarge, "the path of a value has \(byteCount) bytes, the limit is \(maxPathBytes)", path: base,
                hint: "give shorter keys, or store the data less deeply")
        }
    }

    static func invalid(_ complaint: String) -> TreeError {
        TreeError(.invalidJSON, complaint, hint: "see the data model of Realtime Databases")
    }

    static var notAnUpdate: TreeError { invalid("an update has to be an object") }
    static var notAScalar: TreeError { invalid("an object or array where a string or a number should be") }
    static var leafWithChildren: TreeError { invalid("an object with .value has other children") }
    static var badServerValue: TreeError {
        invalid("a server value is {\".sv\": \"timestamp\"} or {\".sv\": {\"increment\": number}}")
    }
}
