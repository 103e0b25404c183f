import Foundation
import TintypeClient
import TintypeModel

/// An identity service in memory: each refresh token is valid once, apart from repetitions with the same key until its
/// successor is used, and each renewal is counted. The test holds answers back, and makes renewals fail.
actor FakeIdentity {
    /// A fault of the next renewal.
    enum Fault {
        case problem(String, status: Int)
        case offline
        /// The service renews, but the answer does not arrive.
        case lost
    }

    private(set) var renewalCount = 0
    /// The keys of all renewals that have arrived.
    private(set) var keys: [String?] = []
    private var tokenCount = 0
    private var owners: [String: String] = [:]
    /// The last renewals, by the token that each has used up: their keys, and the tokens that they issued.
    private var used: [String: (key: String?, idToken: String, refreshToken: String)] = [:]
    private var faults: [Fault] = []
    private var rejected: Set<String> = []
    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [(count: Int, CheckedContinuation<Void, Never>)] = []
    var lifetime: Int64 = 3600
    /// Answers the beginnings of ceremonies with passkeys, look-ups and changes.
    private var passkeys: (@Sendable (_ operation: String) -> TransportResponse)?
    private(set) var passkeyRequests: [(operation: String, fields: JSONValue)] = []

    nonisolated var transport: FakeTransport { FakeTransport { try await self.answer($0) } }

    func fail(_ faults: Fault...) { self.faults = faults }
    func reject(_ token: String) { rejected.insert(token) }
    func setPasskeys(_ answer: @escaping @Sendable (_ operation: String) -> TransportResponse) { passkeys = answer }
    func setLifetime(_ seconds: Int64) { lifetime = seconds }

    /// Holds back the answers to renewals until `release()`.
    func hold() { isHeld = true }

    func release() {
        isHeld = false
        for continuation in held { continuation.resume() }
        held = []
    }

    /// Waits until so many renewals have arrived.
    func waitForRenewals(_ count: Int) async {
        if renewalCount >= count { return }
        await withCheckedContinuation { arrivals.append((count, $0)) }
    }

    private func answer(_ request: TransportRequest) async throws -> TransportResponse {
        let body = if case .data(let data) = request.body { data } else { Data() }
        guard request.url.path.hasSuffix("/v1/token") else { return try answer(request, body) }
        renewalCount += 1
        keys.append(request.headers["Idempotency-Key"])
        for arrival in arrivals where arrival.count <= renewalCount { arrival.1.resume() }
        arrivals.removeAll { $0.count <= renewalCount }
        if isHeld { await withCheckedContinuation { held.append($0) } }
        let fault = faults.isEmpty ? nil : faults.removeFirst()
        switch fault {
        case .problem(let code, let status): return Self.problem(code, status)
        case .offline: throw TransportError(.offline)
        case .lost, nil: break
        }
        let form = String(decoding: body, as: UTF8.self)
        let token = form.split(separator: "refresh_token=").last.map(String.init) ?? ""
        let response = renew(token, key: request.headers["Idempotency-Key"])
        if case .lost = fault { throw TransportError(.interrupted) }
        return response
    }

    private func renew(_ token: String, key: String?) -> TransportResponse {
        if let owner = owners.removeValue(forKey: token) {
            used = used.filter { $0.value.refreshToken != token }
            let (idToken, refreshToken) = issue(to: owner)
            used[token] = (key, idToken, refreshToken)
        }
        guard let answer = used[token], answer.key == key else { return Self.problem("INVALID_REFRESH_TOKEN", 400) }
        return Self.json(["id_token": .string(answer.idToken), "refresh_token": .string(answer.refreshToken)])
    }

    /// Answers sign-ins of anybody, and requests for one's own id.
    private func answer(_ request: TransportRequest, _ body: Data) throws -> TransportResponse {
        if let passkeys,
            request.url.path.contains("/v2/accounts/") || request.url.path.hasSuffix(":lookup")
                || request.url.path.hasSuffix(":update")
        {
            let fields = try JSONDecoder().decode(JSONValue.self, from: body)
            let name = String(request.url.path.split(separator: "/").last ?? "")
            passkeyRequests.append((name, fields))
            guard name.hasSuffix(":finalize") else { return passkeys(name) }
            let (idToken, refreshToken) = issue(to: "ann")
            return Self.json(["idToken": .string(idToken), "refreshToken": .string(refreshToken)])
        }
        guard request.url.path.contains("accounts:") else {
            let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
            if let token, rejected.contains(token) { return Self.json(["code": "bad_token"], status: 401) }
            return Self.json(["token": token.map(JSONValue.string) ?? .null])
        }
        let fields = try JSONDecoder().decode(JSONValue.self, from: body)
        let (idToken, refreshToken) = issue(to: fields["email"]?.string ?? "nobody")
        return Self.json(["idToken": .string(idToken), "refreshToken": .string(refreshToken)])
    }

    private func issue(to owner: String) -> (String, String) {
        tokenCount += 1
        owners["refresh-\(tokenCount)"] = owner
        // The service's clock has nothing to do with the device's.
        let claims: JSONValue = [
            "sub": .string(owner), "iat": 1_000_000, "exp": .integer(1_000_000 + lifetime),
            "n": .integer(Int64(tokenCount)),
        ]
        let payload = (try? JSONEncoder().encode(claims)) ?? Data()
        let text = payload.base64EncodedString().replacingOccurrences(of: "=", with: "")
        return ("head.\(text).signature", "refresh-\(tokenCount)")
    }

    static func problem(_ code: String, _ status: Int) -> TransportResponse {
        json(["error": ["code": .integer(Int64(status)), "message": .string(code)]], status: status)
    }

    static func json(_ value: JSONValue, status: Int = 200) -> TransportResponse {
        TransportResponse(status: status, body: (try? JSONEncoder().encode(value)) ?? Data())
    }
}

/// A device with a session of the fake service.
struct FakePhone {
    let identity: FakeIdentity
    let keychain: FakeKeychain
    let clock = FakeClock()
    let client: ServiceClient

    init(_ identity: FakeIdentity = FakeIdentity(), _ keychain: FakeKeychain = FakeKeychain()) throws {
        (self.identity, self.keychain) = (identity, keychain)
        guard let url = URL(string: "https://photos.example.org/") else { throw URLError(.badURL) }
        client = ServiceClient(service: url, keychain: keychain, transport: identity.transport, clock: clock)
    }

    var session: Session { client.session }

    /// Another process on the same device.
    func otherProcess() throws -> FakePhone { try FakePhone(identity, keychain) }

    @discardableResult
    func signIn(_ name: String = "ann") async throws -> Account {
        try await session.signIn(email: name, password: "secret")
    }
}
