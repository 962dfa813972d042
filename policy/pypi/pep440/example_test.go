package pep440_test

import (
	"fmt"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// A range is held against what an advisory says: the versions that both have
// in common are the ones that must go. 83.0.0rc1 is one too, but a range that
// names no pre-release asks for none.
func Example() {
	specifiers, err := pep440.ParseSpecifiers(">=70,!=82.*,<84")
	if err != nil {
		fmt.Println(err)
		return
	}
	fixed, err := pep440.Parse("83.0.0")
	if err != nil {
		fmt.Println(err)
		return
	}
	affected := specifiers.EffectiveIn(pep440.Between(nil, &fixed), false)
	fmt.Println("admits", affected)
	fmt.Println("such as", affected.Examples(4))
	// Output:
	// admits [70, 82.dev0)
	// such as [70 70.1 71 81]
}

func ExampleParse() {
	for _, text := range []string{"v1.0.0-rc.1", "1.0-1", "1.0+Ubuntu_01", "2004d"} {
		version, err := pep440.Parse(text)
		fmt.Println(version, err)
	}
	// Output:
	// 1.0.0rc1 <nil>
	// 1.0.post1 <nil>
	// 1.0+ubuntu.1 <nil>
	//  invalid version "2004d" at byte 4: this is no part of a version number
}

func ExampleSpecifiers_Set() {
	for _, text := range []string{"", "~=70.1", "==70.*", "==83.0.0", "!=70.0", ">1.0", "<=1.0", "<0"} {
		specifiers, err := pep440.ParseSpecifiers(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%-8s %v\n", text, specifiers.Set())
	}
	// Output:
	//          every version
	// ~=70.1   [70.1, 71.dev0)
	// ==70.*   70.*
	// ==83.0.0 83.0.0
	// !=70.0   (-∞, 70.0), (70.0, ∞)
	// >1.0     (1.0.post*, ∞)
	// <=1.0    (-∞, 1.0]
	// <0       nothing
}

func ExampleSet_Specifiers() {
	introduced, _ := pep440.Parse("2.0")
	fixed, _ := pep440.Parse("2.2")
	all, _ := pep440.ParseSpecifiers(">=1.5,!=1.7.*")
	fmt.Println(all.Set().Minus(pep440.Between(&introduced, &fixed)).Specifiers())
	fmt.Println(all.Set().Intersect(pep440.Between(nil, &fixed)).Specifiers())
	// Output:
	//  false
	// >=1.5,<=2.2,!=2.2,!=1.7.* true
}
