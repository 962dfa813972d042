package relay

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unsafe"
)

// From linux/if_tun.h.
const (
	tunSetIff, tunSetOffload = 0x400454ca, 0x400454d0

	iffTun, iffNoPacketInfo, iffVnetHeader = 0x0001, 0x1000, 0x4000

	offloadChecksum, offloadTSO4 = 0x01, 0x02
)

// openTun makes a TUN interface in the network namespace of the calling thread,
// and runs commands of ip(8) on it. It is gone when the file is closed.
//
// Packets come with a virtio header and are as large as the kernel likes to
// build them, so that 100 MB are not 60,000 system calls; TCP still counts in
// segments of an Ethernet's size.
func openTun(name string, ip ...string) (*os.File, error) {
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	// struct ifreq of linux/if.h
	req := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: iffTun | iffNoPacketInfo | iffVnetHeader}
	copy(req.name[:], name)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), tunSetIff, uintptr(unsafe.Pointer(&req)))
	if errno == 0 {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), tunSetOffload, offloadChecksum|offloadTSO4)
	}
	if errno != 0 {
		syscall.Close(fd)
		return nil, fmt.Errorf("make interface %s: %w", name, errno)
	}
	if err := configure(name, ip); err != nil {
		syscall.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// configure lets packets to and from 127.0.0.0/8 pass an interface and runs
// commands of ip(8) in the network namespace of the calling thread.
func configure(name string, commands []string) error {
	if err := os.WriteFile("/proc/sys/net/ipv4/conf/"+name+"/route_localnet", []byte("1"), 0); err != nil {
		return err
	}
	ip := exec.Command("ip", "-batch", "-")
	ip.Stdin = strings.NewReader(strings.Join(commands, "\n"))
	if out, err := ip.CombinedOutput(); err != nil {
		return fmt.Errorf("ip (is the package iproute2 installed?): %w\n%s", err, out)
	}
	return nil
}
