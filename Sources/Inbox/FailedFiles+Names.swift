package import API

extension Collection<FailedFiles.Item> {
    /// Returns the items that a text names: those whose path it is or ends, or the only one whose sender gave it this name.
    ///
    /// - Throws: `Failure` with the code `not_found` if it names none, `bad_name` if several have the name alone.
    package func named(_ name: String) throws(Failure) -> [FailedFiles.Item] {
        let found = filter { $0.path == name || $0.path.hasSuffix("/" + name) || "failed/" + $0.path == name }
        guard found.isEmpty else { return found }
        let sent = name.contains("/") ? [] : filter { $0.isSent(as: name) }
        guard sent.count < 2 else {
            let paths = sent.prefix(10).map(\.path).joined(separator: ", ") + (sent.count > 10 ? ", …" : "")
            throw Failure(
                .badName, "\(sent.count) failed files were sent as \(name.prefix(200)): \(paths)",
                hint: "Give the path of each that you mean.")
        }
        guard !sent.isEmpty else {
            throw Failure(
                .notFound, "no failed file is called \(name.prefix(200))",
                hint: "List all failed files with tintype inbox ls.")
        }
        return sent
    }
}
