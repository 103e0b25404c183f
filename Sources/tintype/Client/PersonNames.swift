import API
import HTTPTypes

/// The present names of people, for lists that have only their ids. Each name is read from the service once.
struct PersonNames {
    let service: APIClient
    private var known: [String: String] = [:]

    init(_ service: APIClient) { self.service = service }

    /// Returns a person's name; a dash for nil, and for somebody unknown.
    mutating func name(of uid: String?) async -> String {
        guard let uid else { return "-" }
        if let name = known[uid] { return name }
        // A list is shown even if a name cannot be read.
        let path = "/v1/people/\(uid.percentEncoded)"
        let person = try? await service.read(.get, path, as: PersonDocument.self)
        let name = person?.fullName ?? "-"
        known[uid] = name
        return name
    }
}
