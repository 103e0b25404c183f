import DaemonSupport
import Testing

@Suite("The service of the tests")
struct ServiceProcessTests {
    @Test("The service keeps its address and its data over a restart")
    func restart() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            await service.kill()
            try await service.start()
            #expect(try await service.command(["user", "ls"]).contains("ann@example.org"))
        }
    }
}
