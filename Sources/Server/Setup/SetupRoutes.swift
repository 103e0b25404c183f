import API
import Access
package import Accounts
import Hummingbird
import Model
package import Requests
import Transport
import TreeModel

/// `/v1/setup`: the setup of the service, for admins at any time, and for the first requester while nobody is there.
package struct SetupRoutes: Sendable {
    private static let maxBodyBytes = 16 << 10
    /// The fields of everybody, and those of the first setup alone: admins change settings in the configuration file.
    private static let fields = ["preset", "email", "password"]
    private static let firstFields = ["code", "name", "sign_up"]
    private static let example = #"{"preset":"members","email":"ann@example.com"}"#

    private let setup: ServiceSetup
    private let invitations: Invitations
    /// The check of the page that sends the first setup: only the service's own.
    private let ownPages: SiteGuard
    private let writer: (any SettingsWriter)?
    private let reload: SettingsReload?

    /// - Parameters:
    ///   - ownPages: A check without further origins.
    ///   - writer: The configuration file; nil if there is none.
    ///   - reload: Reads the settings again; nil if that is not possible.
    package init(
        _ setup: ServiceSetup, _ accounts: IdentityService, ownPages: SiteGuard, writer: (any SettingsWriter)?,
        reload: SettingsReload?
    ) {
        self.setup = setup
        invitations = accounts.invitations
        (self.ownPages, self.writer, self.reload) = (ownPages, writer, reload)
    }

    package func add(to routes: inout RouteTable) {
        let body = Schema.object([
            "preset": .one(of: RulesPreset.self), "email": .text(upTo: EmailAddress.maxLength), "password": .text,
            "code": .text, "name": .text(upTo: SiteText.maxNameLength), "sign_up": .text,
        ]).named("SetupOrder")
        let run = Endpoint(
            "setUp", in: .operations, "Set the rules of a preset, and make an admin",
            details: "For admins. While nobody is there yet, also for a browser on the service's machine, and with the "
                + "code of the log; only these send code, name and sign_up. Others learn nothing of it.",
            access: .admin, [.query("dry_run", .flag, "whether nothing is changed")],
            body: ["application/json": body], answers: [.json(SetupDocument.self)],
            errors: [
                .notFound, .badUser, .badConfiguration, .crossSite, .tooManyRequests, .unsupportedType, .tooLarge,
            ],
            run: run)
        routes.add("/v1/setup", [.post: run])
    }

    @Sendable private func run(_ request: Request, _ context: HTTPContext) async throws -> Response {
        if context.identity == .admin, context.proof.kind != .emulator { return try await administer(request, context) }
        return try await begin(request, context)
    }

    private func administer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let members = try await context.jsonMembers(
            Self.fields, of: request, upTo: Self.maxBodyBytes, example: Self.example)
        let isDryRun = try context.query.flag("dry_run")
        guard let (outcome, code) = try await setup.run(try Self.order(members), isDryRun: isDryRun) else {
            throw HTTPError(.notFound)
        }
        return response(outcome, code)
    }

    /// Does the first setup. Who may not do it gets the answer of an address that does not exist.
    private func begin(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let firstRun = setup.firstRun else { throw HTTPError(.notFound) }
        let isHere = firstRun.isHere(request, context)
        guard let members = try? await context.jsonObject(of: request, upTo: Self.maxBodyBytes) else {
            throw HTTPError(.notFound)
        }
        if !isHere {
            let (isRight, wait) = firstRun.accepts(members["code"]?.string ?? "")
            if let wait {
                throw Failure(.tooManyRequests, "too many codes were wrong", retryAfter: Int(wait.rounded(.up)))
            }
            guard isRight else { throw HTTPError(.notFound) }
        }
        guard try await setup.isOpen else { throw HTTPError(.notFound) }
        try ownPages.check(request.head, from: context.client)
        if let unknown = members.keys.filter({ !(Self.fields + Self.firstFields).contains($0) }).min() {
            throw Failure(.badRequest, "there is no field \"\(unknown.prefix(80))\" here")
        }
        let order = try Self.order(members)
        guard order.preset != nil, order.email != nil, order.password?.isEmpty == false else {
            throw Failure(
                .badRequest, "the first setup needs a preset, an e-mail address and a password",
                hint: "Send \(Self.example), with a password.")
        }
        var settings: [String: String] = [:]
        settings["name"] = try Self.text("name", members)
        settings["sign-up"] = try Self.text("sign_up", members)
        if !settings.isEmpty { try writer?.check(settings) }
        guard let (done, code) = try await setup.run(order, isFirst: true) else { throw HTTPError(.notFound) }
        var outcome = done
        firstRun.end()
        try await keep(settings, &outcome)
        return response(outcome, code)
    }

    /// Writes the settings, and puts into use what a running service can.
    private func keep(_ settings: [String: String], _ outcome: inout SetupDocument) async throws {
        guard !settings.isEmpty, let writer else { return }
        (outcome.file, outcome.lines) = try writer.write(settings)
        guard outcome.lines == nil, let reload else { return }
        outcome.settings = try await reload(false)
    }

    private func response(_ outcome: SetupDocument, _ code: InvitationCode?) -> Response {
        var outcome = outcome
        outcome.invitation?.link = code.flatMap(invitations.link)
        return .json(outcome, headers: [.cacheControl: "no-store"])
    }

    private static func order(_ members: [String: JSONValue]) throws(Failure) -> ServiceSetup.Order {
        var order = ServiceSetup.Order(
            email: try text("email", members), password: try text("password", members))
        if let name = try text("preset", members) {
            guard let preset = RulesPreset(rawValue: name) else {
                throw Failure(
                    .badRequest, "there is no preset \"\(name.prefix(80))\"",
                    hint: "Use one of \(RulesPreset.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            order.preset = preset
        }
        return order
    }

    private static func text(_ name: String, _ members: [String: JSONValue]) throws(Failure) -> String? {
        guard let value = members[name], value != .null else { return nil }
        guard let text = value.string else {
            throw Failure(.badRequest, "\(name) is not a text", hint: "Send \(example).")
        }
        return text
    }
}
