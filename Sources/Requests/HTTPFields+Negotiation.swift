package import HTTPTypes

extension HTTPFields {
    /// Whether `Accept-Encoding` names gzip or `*` with a weight that is not zero (RFC 9110 §12.5.3).
    package var readsGzip: Bool {
        weighted(.acceptEncoding).contains { ["gzip", "x-gzip", "*"].contains($0.name) && $0.weight > 0 }
    }

    /// Returns the names in a field such as `Accept-Language`, in lower case and in their order, with weights from 0 to
    /// 1
    /// (RFC 9110 §12.4.2).
    package func weighted(_ field: HTTPField.Name) -> [(name: String, weight: Double)] {
        (self[field] ?? "").lowercased().split(separator: ",").compactMap { element in
            let parts = element.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            guard let name = parts.first, !name.isEmpty else { return nil }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return (name, weight ?? 1)
        }
    }

    /// Adds a request's field to `Vary`, because the response depends on its value.
    package mutating func vary(by name: String) {
        self[.vary] = [self[.vary], name].compactMap { $0 }.joined(separator: ", ")
    }
}
