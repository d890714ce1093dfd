import Glibc
import TestSupport
import Testing

@testable import Basics

/// Both ways of opening a path below a folder agree, errors included.
@Suite struct OpenBeneathTests {
    @Test(arguments: [
        ("a/b/file", 0), ("a/./b//file", 0), ("a", 0), (".", 0), ("missing", ENOENT), ("a/missing/x", ENOENT),
        ("", ENOENT),
        ("file/x", ENOTDIR), ("..", EXDEV), ("a/../../x", EXDEV), ("/etc/passwd", EXDEV), ("link", ELOOP),
        ("a/out/passwd", ELOOP),
        ("a/out", ELOOP), ("dangling", ELOOP),
    ])
    func agree(path: String, code: Int32) throws {
        let folder = TemporaryFolder()
        let whole = try Directory(path: folder.path)
        try whole.create("file", Array("1".utf8))
        try whole.makingDirectory("a/b").create("file", Array("2".utf8))
        #expect(symlink("file", folder.path + "/link") == 0)
        #expect(symlink("/etc", folder.path + "/a/out") == 0)
        #expect(symlink("nowhere", folder.path + "/dangling") == 0)
        let top = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { _ = close(top) }
        for open in [openBeneath, openPartByPart] {
            errno = 0
            let fd = open(top, path, O_RDONLY | O_CLOEXEC)
            #expect((fd < 0 ? errno : 0) == code, "\(path)")
            if fd >= 0 { _ = close(fd) }
        }
    }

    @Test func aMountIsTold() throws {
        let root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { _ = close(root) }
        #expect(isOtherMount(root, "proc") == true)
        #expect(isOtherMount(root, "etc") == false)
        #expect(isOtherMount(root, "no-such-folder") == nil)
    }
}
