import Access
import Accounts
import Client
import HTTPTypes
import PasskeySupport
import TestSupport
import Testing
import TreeModel

@Suite("Passkeys over HTTP", .timeLimit(.minutes(20)))
struct PasskeyRouteTests {
    /// Sends a request of an app.
    private func send(_ path: String, _ body: JSONValue, to service: Service) async throws -> JSONValue {
        let answer = try await service.tcpClient.ask(
            .post, "/identitytoolkit.googleapis.com/\(path)?key=x", body: .bytes(Array(body.text)))
        return try #require(JSONValue(text: answer.body))
    }

    @Test("An app adds a passkey, signs in with it and posts with the token")
    func passkey() async throws {
        try await withService(changeAccounts: { $0.origin = "https://photos.example" }) { service in
            let device = try SoftwareAuthenticator()
            let account: JSONValue = ["email": "ann@example.com", "password": "sesame!"]
            let token = try #require(try await send("v1/accounts:signUp", account, to: service)["idToken"])
            let options = try await send("v2/accounts/passkeyEnrollment:start", ["idToken": token], to: service)
            let challenge = try #require(options["credentialCreationOptions"]?["challenge"]?.string)
            let added = try await send(
                "v2/accounts/passkeyEnrollment:finalize",
                [
                    "idToken": token, "name": "Phone",
                    "authenticatorRegistrationResponse": try device.registration(.creation(challenge)),
                ], to: service)
            #expect(added["idToken"]?.string != nil && added["refreshToken"]?.string != nil, "\(added)")
            // Firebase's SDK sends no body here.
            let start = try await service.tcpClient.ask(
                .post, "/identitytoolkit.googleapis.com/v2/accounts/passkeySignIn:start?key=x")
            let request = try #require(JSONValue(text: start.body)?["credentialRequestOptions"])
            #expect(request["rpId"] == "photos.example")
            let response = try device.authentication(.assertion(try #require(request["challenge"]?.string)))
            let body: JSONValue = ["authenticatorAuthenticationResponse": response]
            let signedIn = try await send("v2/accounts/passkeySignIn:finalize", body, to: service)
            let claims = try service.authority.verify(try #require(signedIn["idToken"]?.string))
            #expect(claims["firebase"]?["sign_in_provider"] == "passkey")
            let again = try await send("v2/accounts/passkeySignIn:finalize", body, to: service)
            #expect(again["error"]?["message"]?.string?.hasPrefix("INVALID_AUTHENTICATOR_RESPONSE") == true)
        }
    }

    @Test("Without a public address there are no passkeys at an IP address, and other operations are none")
    func noAddress() async throws {
        try await withService { service in
            let start = try await send("v2/accounts/passkeySignIn:start", [:], to: service)
            let message = start["error"]?["message"]?.string ?? ""
            #expect(message.hasPrefix("OPERATION_NOT_ALLOWED : ") && message.contains("public-url"), "\(start)")
            for path in ["passkeySignIn:begin", "passkeySignIn", ""] {
                let answer = try await service.tcpClient.ask(
                    .post, "/identitytoolkit.googleapis.com/v2/accounts/\(path)?key=x")
                #expect(answer.status == 404, "\(answer.text)")
            }
        }
    }
}
